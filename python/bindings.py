"""Writes lookback/_c.py: the part of the C interface that the package uses, read from the public headers.

The headers are the only place of every layout: a field that is added to a struct there is in the next wheel. What is
declared is what the modules of the package name, and the types that these need.
"""
import re
import subprocess
from keyword import iskeyword
from pathlib import Path

SIMPLE = {
    "void": "None", "bool": "c_bool", "_Bool": "c_bool", "char": "c_char", "int": "c_int", "float": "c_float",
    "double": "c_double", "size_t": "c_size_t", "int32_t": "c_int32", "int64_t": "c_int64", "uint8_t": "c_uint8",
    "uint32_t": "c_uint32", "uint64_t": "c_uint64",
}
OPAQUE = ("lb_model", "lb_group")  # structs that the package passes on, and does not look into
FUNCTION_POINTER = re.compile(r"(?P<result>.+)\( ?\* ?(?P<name>\w+)\)\((?P<arguments>.*)\)$")
FUNCTION = re.compile(r"(?P<result>.+?)(?P<name>lb_\w+)\((?P<arguments>.*)\)$")
# Types of keyword arguments: the struct whose fields they are, and those that are arguments, or nothing for Python.
OPTIONS = (
    ("TrainOptions", "lb_training_config",
     ("train", "dev", "lexicon", "out", "group", "options", "context", "attention")),
    ("TranslateOptions", "lb_translate_config", ("n_best", "attention", "skip_bad_texts", "first_text")),
)
HEAD = "# Written by bindings.py from the headers of the library and its table of settings. Do not edit.\n"


def statements(text):
    """The declarations at the top level of preprocessed C, each on one line, without attributes."""
    text = re.sub(r"^#.*", "", text, flags=re.M)
    text = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    text = re.sub(r"static inline [^;{]*\{.*?\n\}", "", text, flags=re.S)
    for statement in re.findall(r"(?:[^;{}]|\{[^{}]*\})+;", text):
        yield " ".join(statement[:-1].split())


def split(text, separator):
    """The parts between separators that are not in parentheses."""
    return [part.strip() for part in re.split(separator + r"(?![^(]*\))", text) if part.strip()]


def short(enum, member):
    """UNIT for LB_RANGE_UNIT of lb_range, FORMAT for LB_ERROR_FORMAT."""
    return re.sub(f"^LB_(?:{enum[3:].upper()}_|ERROR_)?", "", member)


class Header:
    """What the headers declare, by name."""

    def __init__(self, text):
        self.structs, self.enums, self.aliases, self.functions, self.constants = {}, {}, {}, {}, {}
        self.lists = set()
        for statement in statements(text):
            self.read(statement)

    def read(self, statement):
        if found := re.match(r"(?:typedef )?enum ?(\w*) \{(.*)\}", statement):
            self.enums[found[1]] = self.enumerators(found[2])
            self.constants.update(self.enums[found[1]])
        elif found := re.match(r"(?:typedef )?struct (lb_\w+) \{(.*)\}", statement):
            self.structs[found[1]] = split(found[2], ";")
        elif found := re.match(r"typedef (.*lb_.*)", statement):
            alias = FUNCTION_POINTER.match(found[1]) or re.match(r"(?P<type>.+[ *])(?P<name>\w+)$", found[1])
            self.aliases[alias["name"]] = alias
        elif found := re.match(r"extern const char \*const (lb_\w+)\[\]", statement):
            self.lists.add(found[1])
        elif found := FUNCTION.match(statement):
            self.functions[found["name"]] = found

    def enumerators(self, text):
        values, value = {}, -1
        for name, given in re.findall(r"(\w+)(?: ?= ?([^,]+))?", text):
            # Constants are sums, shifts and names of earlier constants.
            value = eval(given, {}, {**self.constants, **values}) if given else value + 1
            values[name] = value
        return values


class Writer:
    """The declarations of the names that are asked for, and of the types that these need."""

    def __init__(self, header, rows):
        self.header = header
        self.rows = rows  # of the table of settings
        self.needed = {}  # struct: its fields

    def type(self, words, stars, result=False):
        base = " ".join(word for word in words.split() if word not in ("const", "struct"))
        alias = self.header.aliases.get(base)
        if stars == 0 and base in self.header.structs:
            self.need(base)
        if alias and "arguments" in alias.groupdict():
            return self.prototype(alias)
        if alias and alias["type"].split()[-1] != base:  # not "typedef struct lb_tape lb_tape"
            return self.type(alias["type"].replace("*", ""), stars + alias["type"].count("*"))
        if stars == 0:
            return base if base in self.header.structs else SIMPLE.get(base, "c_int")  # or an enum
        if base in self.header.structs and base not in OPAQUE:
            self.need(base)
            inner, stars = f"POINTER({base})", stars - 1
        elif base == "char" and not result:
            inner, stars = "c_char_p", stars - 1
        elif base in SIMPLE and base not in ("void", "char"):
            inner = SIMPLE[base]
        else:  # opaque, or memory that the caller must release
            inner, stars = "c_void_p", stars - 1
        return "POINTER(" * stars + inner + ")" * stars

    def prototype(self, found):
        result = found["result"].strip()
        arguments = [self.declaration(text)[1] for text in split(found["arguments"], ",") if text != "void"]
        types = [self.type(result.replace("*", ""), result.count("*"), "const" not in result), *arguments]
        return "CFUNCTYPE(" + ", ".join(types) + ")"

    def declaration(self, text):
        """The name and the type of a field or of an argument."""
        if found := FUNCTION_POINTER.match(text):
            return found["name"], self.prototype(found)
        words, stars, name, dims = re.match(r"([\w ]+?) ?((?:\* ?(?:const ?)?)*)(\w+)((?:\[\w*\])*)$", text).groups()
        written = self.type(words, stars.count("*"))
        for dim in reversed(re.findall(r"\[(\w*)\]", dims)):
            written = f"{written} * {self.header.constants.get(dim, dim)}" if dim else f"POINTER({written})"
        return name, written

    def need(self, struct):
        if struct in self.needed:
            return
        fields = self.needed[struct] = []
        for line in self.header.structs[struct]:
            first, *others = split(line, ",")
            words = re.match(r"[\w ]+?(?= ?\**\w+(?:\[\w*\])*$)", first)
            fields += map(self.declaration, [first, *(f"{words[0]} {other}" for other in others)])

    def write(self, names):
        header = self.header
        functions = [name for name in names if name in header.functions]
        prototypes = [f'    "{name}": {self.prototype(header.functions[name])},\n' for name in functions]
        for name in names:
            if name in header.structs:
                self.need(name)
            elif not any(name in known for known in (header.functions, header.enums, header.lists, header.aliases)):
                raise SystemExit(f"bindings.py: the package names {name}, which no header declares")
        structs = [name for name in header.structs if name in self.needed]  # each follows those that it contains
        text = "".join(f"class {name}(Structure):\n    pass\n\n\n" for name in structs)
        for name in structs:
            rows = "".join(f'    ("{field}", {written}),\n' for field, written in self.needed[name])
            text += f"{name}._fields_ = [\n{rows}]\n"
        for name in names:
            if name in header.enums:
                rows = "".join(f"    {short(name, member)} = {n}\n" for member, n in header.enums[name].items())
                text += f"\n\nclass {name}(IntEnum):\n{rows}"
        text += "\n\nPROTOTYPES = {\n" + "".join(prototypes) + "}\n"
        for title, struct, arguments in OPTIONS:
            if struct in self.needed:
                text += f"\n\nclass {title}(TypedDict, total=False):\n" + self.options(struct, arguments)
        used = sorted({"Structure", *re.findall(r"\b(?:c_\w+|CFUNCTYPE|POINTER)\b", text)})
        return (f"{HEAD}import os\nfrom ctypes import {', '.join(used)}\nfrom enum import IntEnum\n"
                f"from typing import Optional, TypedDict, Union\n\n\n{text}")

    def options(self, struct, arguments):
        """The fields that a caller may set, with their types in Python; None is the default."""
        choices, opposites, paths = (self.rows[name] for name in ("CHOICES", "OPPOSITES", "PATHS"))
        rows = dict.fromkeys(opposites, "bool") if struct == "lb_training_config" else {}
        for name, written in self.needed[struct]:
            if name in arguments or not re.match(r"c_(?!void_p)\w+( \* \d+)?$", written):
                continue
            if name in choices or "c_char" in written:
                rows[name] = 'Union[str, "os.PathLike[str]"]' if name in paths else "str"
            else:
                rows[name] = {"c_bool": "bool", "c_double": "float", "c_float": "float"}.get(written, "int")
        return "".join(f"    {name}{'_' * iskeyword(name)}: Optional[{kind}]\n" for name, kind in rows.items())


def settings(table):
    """What the rows of a table of settings say: names of choices, where zero is a value, opposites, and files."""
    words = {name: tuple(re.findall(r'"([^"]+)"', text))
             for name, text in re.findall(r"static const char \*const (\w+)\[\] = \{(.*?)\};", table, re.S)}
    choices, zero, opposites, paths = {}, [], {}, []
    for name, kind, row in re.findall(r"\{(?:ROW|FLAG)\((\w+), (\w+)(.*?\.help)", table, re.S):
        listed, opposite = re.search(r"\.choices = (\w+)", row), re.search(r'\.opposite = "(\w+)"', row)
        if kind == "CHOICE":
            choices[name] = words.get(listed[1], listed[1])
        if opposite:
            opposites[opposite[1]] = name
        zero += [name] * (".zero_is_value" in row)
        paths += [name] * bool(re.search(r'"(?:FILE|DIR|MODEL)"', row))
    return {"CHOICES": choices, "ZERO_IS_VALUE": tuple(zero), "OPPOSITES": opposites, "PATHS": tuple(paths)}


def write(package, includes, table):
    """The text of _c.py for the modules in the folder `package`, by headers in the folders `includes` and settings."""
    flags = [f"-I{folder}" for folder in includes]
    command = ["cc", "-E", "-P", "-xc", *flags, "-"]
    found = subprocess.run(command, input="#include <lookback/lookback.h>\n", text=True, stdout=subprocess.PIPE, check=True)
    named = set()
    for module in Path(package).glob("*.py"):
        named.update(re.findall(r"\blb_\w+", module.read_text()))
    rows = settings(Path(table).read_text())
    text = Writer(Header(found.stdout), rows).write(sorted(named))
    return text + "\n\n" + "".join(f"{name} = {values}\n" for name, values in rows.items())
