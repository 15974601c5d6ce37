"""Checks the SBOM of a release: the fields that SPDX 2.3 requires, its references, and that it knows each file and its parts.

    python3 tests/package/sbom.py build/packages
"""
import json
import re
import sys
from pathlib import Path

folder = Path(sys.argv[1])
path, = folder.glob("*.spdx.json")
found = json.loads(path.read_text(encoding="utf-8"))
assert found["spdxVersion"] == "SPDX-2.3" and found["dataLicense"] == "CC0-1.0" and found["SPDXID"] == "SPDXRef-DOCUMENT"
assert found["name"] and re.fullmatch(r"https://[^#\s]+", found["documentNamespace"])
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found["creationInfo"]["created"])
assert all(re.match("(Person|Organization|Tool): .", creator) for creator in found["creationInfo"]["creators"])

packages = {package["SPDXID"]: package for package in found["packages"]}
assert len(packages) == len(found["packages"])
licences = {licence["licenseId"]: licence for licence in found["hasExtractedLicensingInfos"]}
assert all(re.fullmatch(r"LicenseRef-[a-zA-Z0-9.-]+", name) for name in licences)
assert all(len(licence["extractedText"]) > 500 for licence in licences.values())
for name, package in packages.items():
    assert re.fullmatch(r"SPDXRef-[a-zA-Z0-9.-]+", name), name
    assert package["name"] and package["versionInfo"] and package["downloadLocation"] and package["filesAnalyzed"] is False
    for licence in package["licenseDeclared"].split(" AND "):
        assert licence == "MIT" or licence in licences, licence

contains = {package["packageFileName"]: set() for package in packages.values() if "packageFileName" in package}
described = set()
for relationship in found["relationships"]:
    one, kind, other = (relationship[key] for key in ("spdxElementId", "relationshipType", "relatedSpdxElement"))
    if kind == "DESCRIBES":
        assert one == "SPDXRef-DOCUMENT"
        described.add(packages[other]["packageFileName"])
    else:
        assert kind == "CONTAINS"
        contains[packages[one]["packageFileName"]].add(packages[other]["name"])

sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
assert sums.keys() == {file.name for file in folder.iterdir()} - {"SHA256SUMS"}
assert described == contains.keys() == sums.keys() - {path.name}
for package in packages.values():
    if "packageFileName" in package:
        assert package["checksums"] == [{"algorithm": "SHA256", "checksumValue": sums[package["packageFileName"]]}]

PARTS = {  # of a file whose name matches, some of what it contains; no others have parts
    r"lookback_.*\.deb|liblookback0_.*\.deb": {"fonts-dejavu-core"},
    r"liblookback-predict0_.*\.deb": {"cjson", "libutf8proc-dev", "zlib1g-dev"},
    r"liblookback-dev_.*\.deb": {"cjson", "libutf8proc-dev", "zlib1g-dev", "fonts-dejavu-core"},
    r".*manylinux.*\.whl": {"libcairo2", "libharfbuzz0b", "libfreetype6", "libcjson1", "zlib1g", "libstb-dev", "libgomp1"},
    r".*win_amd64\.whl|.*-windows\.zip": {"cjson", "utf8proc", "libz-mingw-w64-dev", "mingw-w64-x86-64-dev"},
    r".*\.tgz|.*-site\.tar\.gz|.*-workbench\.html": {"cjson", "utf8proc", "zlib", "emscripten"},
}
for file, parts in contains.items():
    expected = [expected for pattern, expected in PARTS.items() if re.fullmatch(pattern, file)]
    assert all(each <= parts for each in expected) and bool(expected) == bool(parts), (file, parts)
assert sum(map(len, contains.values())) > 50
print(f"{path.name} has {len(contains)} files and {len(packages) - len(contains)} parts")
