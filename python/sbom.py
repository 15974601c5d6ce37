"""Writes an SBOM of the files in a folder, in SPDX 2.3: their checksums, and what each of them contains.

    SOURCE_DATE_EPOCH=N python3 python/sbom.py FOLDER >FILE

Names, versions and licences are those that the files carry: licenses/NAME_VERSION, and in Debian packages the file copyright,
whose parts begin with "NAME VERSION is part of LIBRARY:". Pages carry what the npm package does, their WebAssembly.
"""
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import time
import uuid
import zipfile
from pathlib import Path

from backend import ROOT, VERSION

LICENCE = re.compile(r".*\blicenses/([^/_]+)_([^/]+?)(?:/copyright|\.txt)?")
PART = re.compile(r"^(\S+) (\S+) is part of (\S+):\n", re.MULTILINE)


def texts(path):
    """The files of an archive that may hold licences, as (name, text)."""
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            yield from ((name, archive.read(name).decode()) for name in archive.namelist() if "licenses/" in name)
        return
    content = path.read_bytes()
    if path.suffix == ".deb":
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for entry in archive:
            if entry.isfile() and re.search(r"licenses/|/copyright$", entry.name):
                yield entry.name, archive.extractfile(entry).read().decode()


def holds(deb, library):
    """Whether a Debian package has this library, by its name, as an archive, or in its program."""
    package = deb.partition("_")[0].rstrip("0123456789")
    return package.endswith("-dev") or package.replace("lib", "") == library.replace("lib", "").replace("_", "-")


def parts(path):
    """What an archive contains, as {(name, version): licence}."""
    found = {}
    for name, text in texts(path):
        if licence := LICENCE.fullmatch(name):
            found[licence.groups()] = text.strip()
        elif path.suffix == ".deb":
            rest = iter(PART.split(text)[1:])
            for package, version, library, part in zip(rest, rest, rest, rest):
                if holds(path.name, library):
                    found[package, version] = part.strip()
    return found


def identifier(*words):
    return re.sub(r"[^a-zA-Z0-9.]+", "-", "-".join(words))


def sbom(folder):
    paths = [path for path in sorted(folder.iterdir()) if path.suffix not in (".json", "")]
    inside = {path: parts(path) for path in paths if path.suffix != ".html" and not path.name.endswith(".tar.gz")}
    pages = next(inside[path] for path in inside if path.suffix == ".tgz")
    source = f"lookback-{VERSION}.tar.gz"
    packages, components, licences, relationships, sums = [], {}, {}, [], []
    for path in paths:
        contained = inside.get(path, {} if path.name == source else pages)
        names = []
        for (name, version), text in contained.items():
            licence = "LicenseRef-" + identifier(name, version)
            names.append(licence)
            licences[licence] = max(text, licences.get(licence, ""), key=len)  # Debian's of its font lacks a part
            components[licence] = name, version
        sums.append(hashlib.sha256(path.read_bytes()).hexdigest())
        own = "SPDXRef-" + identifier(path.name)
        packages.append({
            "SPDXID": own, "name": path.name, "versionInfo": VERSION, "packageFileName": path.name,
            "supplier": "Organization: The Lookback authors", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA256", "checksumValue": sums[-1]}], "copyrightText": "NOASSERTION",
            "licenseConcluded": "NOASSERTION", "licenseDeclared": " AND ".join(["MIT", *names])})
        relationships.append(("SPDXRef-DOCUMENT", "DESCRIBES", own))
        relationships += [(own, "CONTAINS", name.replace("LicenseRef", "SPDXRef-part")) for name in names]
    for licence, (name, version) in sorted(components.items()):
        purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}"
        packages.append({
            "SPDXID": licence.replace("LicenseRef", "SPDXRef-part"), "name": name, "versionInfo": version,
            "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]})
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"lookback-{VERSION}",
        "documentNamespace": f"https://spdx.org/spdxdocs/lookback-{VERSION}-{uuid.uuid5(uuid.NAMESPACE_OID, ''.join(sums))}",
        "creationInfo": {"created": created, "creators": ["Organization: The Lookback authors", f"Tool: sbom.py-{VERSION}"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relationships],
        "hasExtractedLicensingInfos": [{"licenseId": licence, "name": " ".join(components[licence]),
                                        "extractedText": text} for licence, text in sorted(licences.items())]}


if __name__ == "__main__":
    json.dump(sbom(Path(sys.argv[1])), sys.stdout, indent=1, ensure_ascii=False)
    print()
