// Weights as a matrix of colours: a row for each symbol written, a column for each symbol read.
import { css, inkOn, paint, scale } from "../common/colors.js";
import { cut, FONT, svg, textWidth } from "../common/dom.js";
import { clamp, fixed } from "./numbers.js";
import { NO_STEP } from "./state.js";
import { readsLeft } from "./symbols.js";

const BAR = 10;

// One pixel for each cell: cheap, however many there are.
export function pixels(matrix, range, canvas, leftward = false) {
    canvas.width = matrix.columns;
    canvas.height = matrix.rows;
    const context = canvas.getContext("2d"),
        image = context.createImageData(matrix.columns, matrix.rows);
    for (let i = 0; i < matrix.values.length; i++) {
        const row = Math.floor(i / matrix.columns),
            column = i % matrix.columns;
        const at = 4 * (row * matrix.columns + (leftward ? matrix.columns - 1 - column : column));
        const color = paint(scale(matrix.values[i], range));
        image.data.set(color, at);
        image.data[at + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return canvas;
}

export function matrixRows(matrix, rowLabels, columnLabels, corner) {
    const rows = [[corner, ...columnLabels.map((label) => label.text)]];
    for (let r = 0; r < matrix.rows; r++) {
        const cells = [rowLabels[r].text];
        for (let c = 0; c < matrix.columns; c++) cells.push(matrix.values[r * matrix.columns + c].toFixed(3));
        rows.push(cells);
    }
    return rows;
}

function layout(matrix, rowLabels, columnLabels, room) {
    const size = clamp(Math.floor((room - 120) / matrix.columns), 9, matrix.rows > 40 ? 11 : 24);
    const font = clamp(size * 0.62, 8, 13),
        widest = (labels) => Math.max(...labels.map((label) => textWidth(cut(label.text, 14), `${font}px ${FONT}`)), 8);
    const columnWidth = widest(columnLabels),
        turned = columnWidth > size + 2;
    return {
        size,
        font,
        turned,
        left: Math.ceil(widest(rowLabels)) + 12,
        top: turned ? Math.ceil(columnWidth * 0.8) + 14 : font + 10,
    };
}

function colorBar(range, x, height) {
    const group = svg("g.bar"),
        tall = clamp(height, 60, 160),
        parts = 48;
    for (let i = 0; i < parts; i++) {
        group.append(
            svg("rect", {
                x,
                y: (tall * i) / parts,
                width: BAR,
                height: tall / parts + 0.5,
                fill: css(scale(range[1] - ((i + 0.5) / parts) * (range[1] - range[0]), range)),
            }),
        );
    }
    for (const part of [0, 0.5, 1]) {
        group.append(
            svg(
                "text.tick",
                { x: x + BAR + 5, y: tall * (1 - part) + 3.5, "font-size": 10 },
                fixed(range[0] + part * (range[1] - range[0])),
            ),
        );
    }
    return group;
}

// options: matrix, rowLabels, columnLabels, range, room, onpoint(row, column), onpin(row).
export function drawHeatmap({ matrix, rowLabels, columnLabels, range, room, onpoint, onpin }) {
    const { size, font, turned, left, top } = layout(matrix, rowLabels, columnLabels, room);
    const leftward = readsLeft(columnLabels),
        wide = matrix.columns * size,
        high = matrix.rows * size;
    const columnAt = (c) => left + (leftward ? matrix.columns - 1 - c : c) * size;
    const tall = Math.max(high, 60),
        width = left + wide + (range[0] < 0 ? 66 : 58),
        height = top + tall + 8;
    const root = svg("svg.heatmap", { viewBox: `0 0 ${width} ${height}`, width, height });

    const text = (label, attributes) =>
        svg(
            "text",
            { "font-size": font, class: label.mark ? "mark" : "symbol", ...attributes },
            svg("title", label.title),
            cut(label.text, 14),
        );
    const rows = rowLabels.map((label, r) =>
        text(label, { x: left - 6, y: top + (r + 0.5) * size + font * 0.36, "text-anchor": "end" }),
    );
    const columns = columnLabels.map((label, c) => {
        const x = columnAt(c) + size / 2;
        return turned
            ? text(label, { x, y: top - 5, transform: `rotate(-50 ${x} ${top - 5})` })
            : text(label, { x, y: top - 6, "text-anchor": "middle" });
    });
    const image = svg("image", {
        x: left,
        y: top,
        width: wide,
        height: high,
        preserveAspectRatio: "none",
        "data-cells": "",
        href: pixels(matrix, range, document.createElement("canvas"), leftward).toDataURL(),
    });
    root.append(image);
    if (size >= 12) {
        let path = "";
        for (let r = 1; r < matrix.rows; r++) path += `M${left} ${top + r * size}h${wide}`;
        for (let c = 1; c < matrix.columns; c++) path += `M${left + c * size} ${top}v${high}`;
        root.append(svg("path.lattice", { d: path }));
    }
    // What is below 0 is told not by its colour alone.
    for (let i = 0; size >= 12 && i < matrix.values.length; i++) {
        const part = scale(matrix.values[i], range),
            x = columnAt(i % matrix.columns) + size / 2,
            y = top + (Math.floor(i / matrix.columns) + 0.5) * size + 4;
        if (part < -0.1) root.append(svg("text.sign", { x, y, ink: inkOn(part) }, "−"));
    }
    const rowFrame = svg("rect.frame", { x: left, width: wide, height: size, visibility: "hidden" });
    const columnFrame = svg("rect.frame", { y: top, width: size, height: high, visibility: "hidden" });
    const bar = colorBar(range, left + wide + 14, high);
    bar.setAttribute("transform", `translate(0 ${top})`);
    const value = svg("text.value", { "font-size": 11, visibility: "hidden" });
    root.append(...rows, ...columns, bar, columnFrame, rowFrame, value);

    if (onpoint) {
        const where = (event) => {
            const box = root.getBoundingClientRect(),
                zoom = box.width / width;
            const x = Math.floor(((event.clientX - box.left) / zoom - left) / size);
            const row = Math.floor(((event.clientY - box.top) / zoom - top) / size);
            const column = leftward ? matrix.columns - 1 - x : x;
            return [
                row >= 0 && row < matrix.rows ? row : NO_STEP,
                column >= 0 && column < matrix.columns ? column : NO_STEP,
            ];
        };
        root.addEventListener("pointermove", (event) => onpoint(...where(event)));
        root.addEventListener("pointerleave", () => onpoint(NO_STEP, NO_STEP));
        root.addEventListener("click", (event) => onpin(where(event)[0]));
    }

    const showValue = (row, column) => {
        const seen = row >= 0 && column >= 0;
        value.setAttribute("visibility", seen ? "visible" : "hidden");
        if (!seen) return;
        const rightHalf = columnAt(column) > left + wide / 2;
        value.textContent = fixed(matrix.values[row * matrix.columns + column]);
        value.setAttribute("x", columnAt(column) + (rightHalf ? -5 : size + 5));
        value.setAttribute("y", top + (row + 0.5) * size + 4);
        value.setAttribute("text-anchor", rightHalf ? "end" : "start");
    };
    const highlight = (row, column) => {
        rowFrame.setAttribute("visibility", row >= 0 && row < matrix.rows ? "visible" : "hidden");
        columnFrame.setAttribute("visibility", column >= 0 && column < matrix.columns ? "visible" : "hidden");
        if (row >= 0) rowFrame.setAttribute("y", top + row * size);
        if (column >= 0) columnFrame.setAttribute("x", columnAt(column));
        rows.forEach((node, r) => node.classList.toggle("lit", r === row));
        columns.forEach((node, c) => node.classList.toggle("lit", c === column));
        showValue(row, column);
    };
    // Steps from `count` on are not written yet.
    const veil = svg("rect.veil", { x: left, width: wide, visibility: "hidden" });
    image.after(veil);
    const limit = (count) => {
        veil.setAttribute("visibility", count < matrix.rows ? "visible" : "hidden");
        veil.setAttribute("y", top + count * size);
        veil.setAttribute("height", Math.max(0, matrix.rows - count) * size);
        rows.forEach((node, r) => node.classList.toggle("unwritten", r >= count));
    };
    const cells = () => {
        const group = svg("g", { "shape-rendering": "crispEdges" });
        for (let r = 0; r < matrix.rows; r++) {
            for (let c = 0; c < matrix.columns; c++) {
                group.append(
                    svg("rect", {
                        x: columnAt(c),
                        y: top + r * size,
                        width: size,
                        height: size,
                        fill: css(scale(matrix.values[r * matrix.columns + c], range)),
                    }),
                );
            }
        }
        return group;
    };
    return { picture: root, highlight, limit, cells };
}
