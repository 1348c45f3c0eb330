"""Writes CycloneDX bills of materials of the jars, from their POMs, and of the wheel with its dependencies and jars."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import uuid
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from staging import POM, SBOM, VERSION, digest, maven_files, modules, python_files, sboms

LICENSE = [{"license": {"id": "Apache-2.0"}}]


def hashes(file: Path) -> list[dict[str, str]]:
    return [
        {"alg": name, "content": digest(file, algorithm)}
        for name, algorithm in (("SHA-1", "sha1"), ("SHA-256", "sha256"))
    ]


def jar_component(module: str, jar: Path) -> dict[str, Any]:
    purl = f"pkg:maven/org.slidewise/{module}@{VERSION}?type=jar"
    return {
        "type": "library",
        "bom-ref": purl,
        "group": "org.slidewise",
        "name": module,
        "version": VERSION,
        "hashes": hashes(jar),
        "licenses": LICENSE,
        "purl": purl,
    }


def dependencies(pom: Path) -> list[dict[str, Any]]:
    """What a POM names. The platform provides Spark, and Scala with it, so none of them is in a jar."""
    found = []
    for node in ET.parse(pom).getroot().findall("m:dependencies/m:dependency", POM):
        group, name, version, scope = (
            node.findtext(f"m:{tag}", "", POM) for tag in ("groupId", "artifactId", "version", "scope")
        )
        purl = f"pkg:maven/{group}/{name}@{version}?type=jar"
        component = {"type": "library", "bom-ref": purl, "group": group, "name": name, "version": version, "purl": purl}
        component["scope"] = "excluded" if scope == "provided" else "required"
        if scope != "test":
            found.append(component)
    return found


def bom(name: str, components: list[dict[str, Any]], edges: dict[str, list[str]]) -> dict[str, Any]:
    # The same files have the same serial number.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components, sort_keys=True))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {"type": "library", "bom-ref": name, "name": name, "version": VERSION, "licenses": LICENSE}
        },
        "components": components,
        "dependencies": [{"ref": ref, "dependsOn": sorted(on)} for ref, on in sorted(edges.items())],
    }


def of_jars() -> dict[str, Any]:
    components: dict[str, dict[str, Any]] = {}
    edges: dict[str, list[str]] = {}
    for module in modules():
        jar, _, _, pom = maven_files(module)
        component = jar_component(module, jar)
        components[component["bom-ref"]] = component
        used = dependencies(pom)
        components.update({c["bom-ref"]: c for c in used if c["bom-ref"] not in components})
        edges[component["bom-ref"]] = [c["bom-ref"] for c in used]
    return bom("slidewise-jars", list(components.values()), edges)


def of_wheel() -> dict[str, Any]:
    wheel = python_files()[0]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        python = f"{folder}/bin/python"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "-q",
                "--python",
                python,
                "install",
                "--disable-pip-version-check",
                str(wheel),
            ],
            check=True,
        )
        made = subprocess.run(
            [
                sys.executable,
                "-m",
                "cyclonedx_py",
                "environment",
                "--output-reproducible",
                "--spec-version",
                "1.6",
                python,
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        found = json.loads(made.stdout)
        own = next(c for c in found["components"] if c["name"] == "slidewise")
        own["hashes"] = hashes(wheel)
        # The environment's reference names this machine's folder.
        own.pop("externalReferences", None)
        zipfile.ZipFile(wheel).extractall(folder, [n for n in zipfile.ZipFile(wheel).namelist() if n.endswith(".jar")])
        jars = sorted(Path(folder, "slidewise/jars").glob("*.jar"))
        own["components"] = [jar_component(jar.name.removesuffix(f"-{VERSION}.jar"), jar) for jar in jars]
        if {jar.name for jar in jars} != {maven_files(m)[0].name for m in modules() if "-spark-" in m}:
            raise SystemExit(f"the wheel contains {', '.join(jar.name for jar in jars)}")
    return found


def main() -> None:
    SBOM.mkdir(parents=True, exist_ok=True)
    for file, content in zip(sboms(), (of_jars(), of_wheel())):
        text = json.dumps(content, indent=2, sort_keys=True)
        if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
            raise SystemExit(f"{file.name} is no CycloneDX document: {problem}")
        file.write_text(text + "\n")
        print(f"{file.name}: {len(content['components'])} components")


if __name__ == "__main__":
    main()
