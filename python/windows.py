"""Builds what is published for Windows, from a build of the preset `windows`: a wheel without figures, and a zip with the
program and the library for prediction.

    python3 python/windows.py FOLDER
"""
import sys
import zipfile
from pathlib import Path

import backend
from backend import ROOT, VERSION

BUILD = ROOT / "build/windows"
ARCHIVES = ("libz.a", "libgomp.a", "libwinpthread.a")  # of Debian's packages, inside of program and libraries
README = f"""Lookback {VERSION} for Windows 10 or later on x86-64, without figures. We tested it under wine, never on Windows.

lookback.exe               the program: type "lookback --help" in a terminal in this folder
liblookback_predict.dll    the library for prediction; liblookback_predict.dll.a links it, and include\\ has its headers:
                               gcc program.c -Iinclude liblookback_predict.dll.a -o program.exe
LICENSE.txt                the licence; licenses\\ has those of the libraries that are inside
"""


def licences():
    """Those of Debian's archives, and of the libraries that cmake/toolchains/libraries.sh has compiled."""
    found = [backend.output("x86_64-w64-mingw32-gcc", f"-print-file-name={name}").decode().strip() for name in ARCHIVES]
    yield from backend.licences([Path(path).resolve() for path in found], inside=())
    for name in ("cjson", "utf8proc"):
        for path in (ROOT / "build/windows-libraries/licenses").glob(f"{name}_*"):
            yield path.name, path.read_bytes()


def contents(folder):
    """The files of the zip, as (name, bytes)."""
    yield f"{folder}/README.txt", README.encode()
    yield f"{folder}/LICENSE.txt", (ROOT / "LICENSE").read_bytes()
    for package, text in licences():
        yield f"{folder}/licenses/{package}.txt", text
    for path in (BUILD / "bin/lookback.exe", BUILD / "liblookback_predict.dll", BUILD / "liblookback_predict.dll.a"):
        yield f"{folder}/{path.name}", path.read_bytes()
    for include in (ROOT / "include/lookback", BUILD / "generated/include/lookback"):
        for path in sorted(include.glob("*.h")):
            yield f"{folder}/include/lookback/{path.name}", path.read_bytes()


def write_zip(directory):
    folder = f"lookback-{VERSION}-windows"
    part = Path(directory, f".{folder}.zip")
    with zipfile.ZipFile(part, "w") as archive:
        for name, data in contents(folder):
            backend.add(archive, name, data)
    part.rename(part.with_name(f"{folder}.zip"))


if __name__ == "__main__":
    native = {"liblookback.dll": BUILD / "liblookback.dll", "lookback.exe": BUILD / "bin/lookback.exe"}
    backend.write_wheel(sys.argv[1], "py3-none-win_amd64", native, licences())
    write_zip(sys.argv[1])
