// x
import { el } from "../common/dom.js";
document.body.append(el("p", {}, "x"));
