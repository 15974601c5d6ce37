"""Asks a compiler for the layout of each struct that the package mirrors, and for the value of each enumerator."""
import ctypes
import sys


def layouts(_c):
    """A C program that prints sizes, offsets and values, and the lines that it should print, of the module _c."""
    lines, expected = [], []
    for name, struct in vars(_c).items():
        if isinstance(struct, type(ctypes.Structure)) and struct is not ctypes.Structure:
            lines.append(f'printf("{name} %d\\n", (int)sizeof({name}));')
            expected.append(f"{name} {ctypes.sizeof(struct)}")
            for field, _ in struct._fields_:
                numbers = f"(int)offsetof({name}, {field}), (int)sizeof((({name} *)0)->{field})"
                lines.append(f'printf("{name}.{field} %d %d\\n", {numbers});')
                expected.append(f"{name}.{field} {getattr(struct, field).offset} {getattr(struct, field).size}")
        elif isinstance(struct, type) and name.startswith("lb_"):
            for member in struct:
                prefix = "LB_RANGE_" if name == "lb_range" else "LB_ERROR_" if name == "lb_status" and member else "LB_"
                lines.append(f'printf("{prefix}{member.name} %d\\n", (int){prefix}{member.name});')
                expected.append(f"{prefix}{member.name} {int(member)}")
    assert len(lines) > 150
    source = "#include <lookback/lookback.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n"
    return source, "\n".join(expected) + "\n"


if __name__ == "__main__":  # of the _c.py in a folder, into another one: layouts.py PACKAGE FOLDER
    sys.path.insert(0, sys.argv[1])
    import _c

    for name, text in zip(("layouts.c", "expected"), layouts(_c)):
        with open(f"{sys.argv[2]}/{name}", "w", encoding="ascii") as file:
            file.write(text)
    with open(f"{sys.argv[2]}/functions", "w", encoding="ascii") as file:
        file.writelines(f"{name}\n" for name in _c.PROTOTYPES)
