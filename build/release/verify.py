"""Checks the staging folder of a release as its users would, and that a second build has the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

from staging import (
    ALGORITHMS,
    MAVEN,
    POM,
    ROOT,
    STAGING,
    SUMS,
    VERSION,
    all_maven_files,
    artifacts,
    digest,
    maven_files,
    missing,
    modules,
    python_files,
)

NEEDED = (
    "name",
    "description",
    "url",
    "licenses/m:license/m:name",
    "developers/m:developer/m:name",
    "scm/m:url",
    "scm/m:connection",
)
"""What Maven Central asks of a POM."""


def run(*command: str | Path, **options: object) -> str:
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def check_files() -> None:
    signed = [*artifacts(), SUMS]
    wanted = signed + [file.with_name(f"{file.name}.asc") for file in signed]
    for file in all_maven_files():
        wanted += [file.with_name(f"{file.name}.{algorithm}") for algorithm in ALGORITHMS]
    if absent := missing(wanted):
        raise SystemExit(f"missing: {', '.join(absent)}")
    print(f"files: {len(wanted)}")


def check_sums() -> None:
    lines = SUMS.read_text().splitlines()
    for line in lines:
        sum_, name = line.split("  ")
        if digest(STAGING / name, "sha256") != sum_:
            raise SystemExit(f"{name} has another checksum than {SUMS.name} names")
    for file in all_maven_files():
        for algorithm in ALGORITHMS:
            if file.with_name(f"{file.name}.{algorithm}").read_text().split()[0] != digest(file, algorithm):
                raise SystemExit(f"{file.name}.{algorithm} is wrong")
    print(f"checksums: {len(lines)}")


def check_signatures() -> None:
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o700)
        environment = {**os.environ, "GNUPGHOME": home}
        run("gpg", "--batch", "--quiet", "--import", STAGING / "signing-key.asc", env=environment)
        for file in [*artifacts(), SUMS]:
            run("gpg", "--batch", "--quiet", "--verify", f"{file}.asc", file, env=environment)
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False, env=environment)
    print(f"signatures: {len(artifacts()) + 1}")


def check_poms() -> None:
    for module in modules():
        jar, sources, javadoc, pom = maven_files(module)
        root = ET.parse(pom).getroot()
        if absent := [tag for tag in NEEDED if not root.findtext(f"m:{tag}", "", POM)]:
            raise SystemExit(f"{pom.name} lacks {', '.join(absent)}")
        if "slidewise-core" in [node.text for node in root.findall(".//m:dependency/m:artifactId", POM)]:
            raise SystemExit(f"{pom.name} names the core, which the jar contains")
        for archive, member in ((jar, ".class"), (sources, ".scala"), (javadoc, "index.html")):
            if not any(name.endswith(member) for name in zipfile.ZipFile(archive).namelist()):
                raise SystemExit(f"{archive.name} contains no {member}")
    print(f"POMs: {len(modules())}")


def check_resolution() -> None:
    """Lets Maven resolve each artifact from the staging folder, with an empty repository of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for module in modules():
            run(
                *("mvn", "-q", "-B", "-C", f"-Dmaven.repo.local={folder}", "dependency:get", "-Dtransitive=false"),
                f"-Dartifact=org.slidewise:{module}:{VERSION}",
                f"-DremoteRepositories=staging::default::file://{MAVEN}",
            )
            if not Path(folder, "org/slidewise", module, VERSION, f"{module}-{VERSION}.jar").is_file():
                raise SystemExit(f"Maven has not resolved {module}")
    print(f"resolved by Maven: {len(modules())}")


def check_wheel() -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", *python_files())
    for file in python_files():
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, "-m", "venv", folder)
            python = Path(folder, "bin/python")
            run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", file)
            answer = run(python, "-m", "slidewise", "version", cwd=folder)
            if VERSION not in answer:
                raise SystemExit(f"python -m slidewise version of {file.name} prints {answer}")
    print(f"installed: {', '.join(file.name for file in python_files())}")


def check_reproducible() -> None:
    """Builds the wheel, the source distribution and the core's jar again, and compares their bytes."""
    with tempfile.TemporaryDirectory() as folder:
        run("make", "python-dist", f"PYTHON_DIST={folder}", cwd=ROOT)
        again = {file: Path(folder, file.name) for file in python_files()}
        run(ROOT / "build/sbt", "core/clean", "core/packageBin", "core/packageSrc", cwd=ROOT)
        for file in maven_files("slidewise-core_2.13")[:2]:
            again[file] = next((ROOT / "jvm/core/target").rglob(file.name))
        for first, second in again.items():
            if digest(first, "sha256") != digest(second, "sha256"):
                raise SystemExit(f"{first.name} has other bytes when it is built again")
    print(f"reproducible: {', '.join(file.name for file in again)}")


def main() -> None:
    for check in (
        check_files,
        check_sums,
        check_signatures,
        check_poms,
        check_resolution,
        check_wheel,
        check_reproducible,
    ):
        check()


if __name__ == "__main__":
    main()
