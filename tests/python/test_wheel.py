"""What is in the wheel, and that it needs nothing else."""
import csv
import ctypes
import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from layouts import layouts

import lookback
from lookback import _c, library, program

HERE = importlib.metadata.distribution("lookback")
CHECKOUT = Path(__file__).parents[2]


def test_what_is_installed_is_not_the_checkout():
    assert CHECKOUT / "python" not in Path(lookback.__file__).parents
    assert lookback.__version__ == HERE.version
    assert HERE.metadata["Requires-Python"] == ">=3.9"


def test_the_record_names_each_file():
    with open(HERE.locate_file(next(file for file in HERE.files if file.name == "RECORD")), encoding="utf-8") as lines:
        names = [row[0] for row in csv.reader(lines)]
    inside = {str(path.relative_to(library.NATIVE.parents[1])) for path in library.NATIVE.iterdir()}
    assert inside <= set(names) and len(inside) > 20
    assert len(names) == len(set(names))


POLICY = r"(libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux-\S+"  # of manylinux: in every system
ELF_MACHINES = {"x86_64": 62, "aarch64": 183}
WHEELS = sorted(CHECKOUT.glob("build/*/lookback-*-manylinux_*.whl"))  # ./run builds these
assert WHEELS


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: str(wheel.relative_to(CHECKOUT)))
def test_each_file_keeps_what_the_tag_promises(wheel, tmp_path):
    tag = wheel.stem.partition("-py3-")[2]
    major, minor, machine = re.fullmatch(r"none-manylinux_(\d+)_(\d+)_(\w+)", tag).groups()
    zipfile.ZipFile(wheel).extractall(tmp_path)
    assert f"Tag: py3-{tag}\n" in next(tmp_path.glob("*.dist-info/WHEEL")).read_text()
    native = tmp_path / "lookback/native"
    for path in native.iterdir():
        assert int.from_bytes(path.read_bytes()[18:20], "little") == ELF_MACHINES[machine], path
        lines = subprocess.run(["objdump", "-Tp", path], encoding="utf-8", stdout=subprocess.PIPE, check=True).stdout
        asked = [tuple(map(int, version)) for version in re.findall(r"\bGLIBC_(\d+)\.(\d+)", lines)]
        assert asked and max(asked) <= (int(major), int(minor)), path
        for needed in re.findall(r"NEEDED +(\S+)", lines):
            assert re.fullmatch(POLICY, needed) or (native / needed).exists(), (path, needed)


@pytest.mark.parametrize("name", ["liblookback.so.0", "lookback"])
def test_each_library_is_in_the_wheel_or_in_every_system(name):
    lines = subprocess.run(["ldd", library.NATIVE / name], encoding="utf-8", stdout=subprocess.PIPE, check=True).stdout
    for line in lines.splitlines():
        if not re.match(r"\t(linux-vdso|/lib64/ld-linux|libc|libm)\b", line):
            assert str(library.NATIVE) in line, line


def test_each_library_has_its_licence():
    licences = [file for file in HERE.files if "licenses" in file.parts]
    assert "MIT" in next(file for file in licences if file.name == "LICENSE").read_text()
    owners = " ".join(file.parts[2] for file in licences)
    for path in library.NATIVE.glob("*.so.*"):
        word = path.name.partition(".so")[0].partition("-")[0].lower().replace("brotlicommon", "brotli1")
        if word not in ("liblookback", "libbrotlidec", "libz"):
            assert word in owners, path
    assert "zlib1g" in owners and "fonts-dejavu-core" in owners


def test_the_program_is_a_command(folder):
    command = Path(sys.executable).with_name("lookback")
    for words in ([command], [sys.executable, "-m", "lookback"], [program.PATH]):
        done = subprocess.run([*words, "predict", folder], input="abc\n", encoding="utf-8", stdout=subprocess.PIPE, check=True)
        assert done.stdout == "abc\tCBA\n"


@pytest.mark.parametrize("given, expected", [({}, "10000"), ({"GOMP_SPINCOUNT": "77"}, "77")])
def test_threads_that_wait_sleep_soon_unless_the_user_wants_otherwise(given, expected):
    """What the runtime of OpenMP has read, and what the environment of the process is then."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    done = subprocess.run([sys.executable, "-c", "import lookback, os; print(os.environ.get('GOMP_SPINCOUNT'))"],
                          env={**environment, "OMP_DISPLAY_ENV": "verbose", **given}, encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    assert f"GOMP_SPINCOUNT = '{expected}'" in done.stderr
    assert done.stdout == f"{given.get('GOMP_SPINCOUNT')}\n"


def test_structs_are_those_of_the_headers(tmp_path):
    source, expected = layouts(_c)
    probe = tmp_path / "probe.c"
    probe.write_text(source)
    folders = [f"-I{CHECKOUT / folder}" for folder in ("include", "build/wheel/generated/include")]
    subprocess.run(["cc", "-std=c11", *folders, probe, "-o", tmp_path / "probe"], check=True)
    found = subprocess.run(tmp_path / "probe", encoding="utf-8", stdout=subprocess.PIPE, check=True).stdout
    assert found == expected


def test_python_runs_while_the_library_computes():
    """No function is called as one of Python's own, which would hold its lock."""
    python_api = ctypes.PYFUNCTYPE(None)._flags_ & ~ctypes.CFUNCTYPE(None)._flags_
    assert python_api
    assert not any(prototype._flags_ & python_api for prototype in _c.PROTOTYPES.values())


def test_tables_of_names_fit_their_options():
    for option, table in _c.CHOICES.items():
        found = library.names(table) if isinstance(table, str) else table
        assert len(found) > 1 and len(set(found)) == len(found), option
    assert "dropout" in _c.ZERO_IS_VALUE and _c.OPPOSITES["hold_out"] == "no_hold_out" and "from" in _c.PATHS
    assert library.names("lb_attention_names")[0] == "additive"
