"""Builds the wheel and the source distribution, with nothing but the standard library.

pip calls build_wheel (PEP 517); ./run package calls `python3 python/backend.py FOLDER [MACHINE]`, which also puts the
libraries into the wheel that it needs beyond libc and libm, as this Debian has them, with their licences. The wheel for
another MACHINE, aarch64, is cross-compiled. With SOURCE_DATE_EPOCH, equal sources give equal bytes.
"""
import base64
import gzip
import hashlib
import os
import platform
import re
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import bindings  # noqa: E402

ROOT = Path(__file__).parent.parent
MACHINE = sys.argv[2] if __name__ == "__main__" and len(sys.argv) > 2 else platform.machine()
PRESET = "wheel" if MACHINE == platform.machine() else f"wheel-{MACHINE}"
BUILD = ROOT / "build" / PRESET
VERSION = ".".join(re.findall(r"#define LB_VERSION_\w+ (\d+)", (ROOT / "include/lookback/base.h").read_text()))
METADATA = f"""Metadata-Version: 2.1
Name: lookback
Version: {VERSION}
Summary: Sequence-to-sequence models with attention, trained on a CPU
License: MIT
Requires-Python: >=3.9
Provides-Extra: numpy
Requires-Dist: numpy; extra == "numpy"
Description-Content-Type: text/markdown

{(ROOT / "docs/python.md").read_text(encoding="utf-8")}"""
PLATFORM = re.sub(r"\W", "_", sysconfig.get_platform()).replace(platform.machine(), MACHINE)
ENTRY_POINTS = "[console_scripts]\nlookback = lookback.__main__:main\n"
EVERYWHERE = re.compile(r"(ld-linux.*|libc|libm)\.so")  # in every system with this libc
INSIDE = ("fonts-dejavu-core", "libstb-dev", "libgomp1")  # packages whose contents are in the library or the program


def tag(bundled):
    """With all libraries inside, it runs wherever this glibc or a later one does (PEP 600)."""
    system = "manylinux_" + platform.libc_ver()[1].replace(".", "_") if bundled else "linux"
    return "py3-none-" + PLATFORM.replace("linux", system)


def output(*command):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout


def libraries(files):
    """The paths of the shared libraries that `files` and these need, by the names under which they are asked for."""
    found, waiting = {}, list(files)
    while waiting:
        for name in re.findall(r"NEEDED +(\S+)", output("objdump", "-p", waiting.pop()).decode()):
            if name not in found and not EVERYWHERE.match(name):
                found[name] = Path(f"/usr/lib/{MACHINE}-linux-gnu", name).resolve(strict=True)
                waiting.append(found[name])
    return found


def licences(paths, inside=INSIDE):
    """The copyright file of each Debian package that owns one of these libraries or is inside, by package and version."""
    packages = set(inside)
    for path in paths:
        owners = re.findall(r"(.+?)(?::\w+)?: (.+)\n", output("dpkg-query", "-S", f"*/{path.name}").decode())
        packages.update(package for package, owned in owners if Path(owned).resolve() == path)
    for package in sorted(packages):
        version = output("dpkg-query", "-W", "-f", "${Version}\\n", package).decode().splitlines()[0]
        yield f"{package}_{version.rpartition(':')[2]}", Path("/usr/share/doc", package, "copyright").read_bytes()


def contents(tags, native, owners):
    """The files of the wheel, as (name, bytes, is a program); `native` by their names in it, and `owners` their licences."""
    info = f"lookback-{VERSION}.dist-info"
    package = ROOT / "python/lookback"
    for path in sorted([*package.glob("*.py"), package / "py.typed"]):
        yield f"lookback/{path.name}", path.read_bytes(), False
    build = next(path.parent for name, path in native.items() if name.startswith("liblookback."))
    includes = [ROOT / "include", build / "generated/include"]
    yield "lookback/_c.py", bindings.write(package, includes, ROOT / "src/settings/table.c").encode(), False
    for name, path in sorted(native.items()):
        yield f"lookback/native/{name}", path.read_bytes(), path.stem == "lookback"
    yield f"{info}/METADATA", METADATA.encode(), False
    wheel = f"Wheel-Version: 1.0\nGenerator: lookback\nRoot-Is-Purelib: false\nTag: {tags}\n"
    yield f"{info}/WHEEL", wheel.encode(), False
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), False
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), False
    for package, text in owners:
        yield f"{info}/licenses/{package}/copyright", text, False


def add(archive, name, data, is_program=False):
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]  # ZIP begins in 1980
    entry = zipfile.ZipInfo(name, date)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if is_program else 0o100644) << 16
    archive.writestr(entry, data, compresslevel=9)


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, bundled=False):
    """Writes the wheel into a folder, and returns its name. Unless `bundled`, it works on this system alone."""
    for step in ("--preset", "--build --preset"):
        subprocess.run(["cmake", *step.split(), PRESET], cwd=ROOT, stdout=sys.stderr, check=True)
    native = {"liblookback.so.0": BUILD / "liblookback.so.0", "lookback": BUILD / "bin/lookback"}
    others = libraries(native.values()) if bundled else {}
    return write_wheel(wheel_directory, tag(bundled), {**native, **others}, licences(others.values()) if bundled else ())


def write_wheel(wheel_directory, tags, native, owners):
    """The same of files that are built already."""
    name = f"lookback-{VERSION}-{tags}.whl"
    record_name, record = f"lookback-{VERSION}.dist-info/RECORD", ""
    part = Path(wheel_directory, f".{name}")
    with zipfile.ZipFile(part, "w") as archive:
        for file, data, is_program in contents(tags, native, owners):
            add(archive, file, data, is_program)
            record += record_line(file, data)
        add(archive, record_name, record + f"{record_name},,\n")
    part.rename(part.with_name(name))
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source distribution, all files of the last commit, into a folder, and returns its name."""
    folder = f"lookback-{VERSION}"
    tar = output("git", "archive", f"--add-virtual-file={folder}/PKG-INFO:{METADATA}", f"--prefix={folder}/", "HEAD")
    name = f"{folder}.tar.gz"
    Path(sdist_directory, name).write_bytes(gzip.compress(tar, 9, mtime=0))
    return name


if __name__ == "__main__":
    build_wheel(sys.argv[1], bundled=True)
    if PRESET == "wheel":
        build_sdist(sys.argv[1])
