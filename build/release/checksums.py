"""Writes SHA256SUMS of all files of the release, and beside each file for Maven its checksums."""

from __future__ import annotations

from staging import ALGORITHMS, STAGING, SUMS, all_maven_files, artifacts, digest, missing


def main() -> None:
    files = artifacts()
    if absent := missing(files):
        raise SystemExit(f"the staging folder lacks {', '.join(absent)}: run `make release-artifacts sbom`")
    SUMS.write_text("".join(f"{digest(file, 'sha256')}  {file.relative_to(STAGING)}\n" for file in files))
    for file in all_maven_files():
        for algorithm in ALGORITHMS:
            file.with_name(f"{file.name}.{algorithm}").write_text(digest(file, algorithm))
    print(f"{len(files)} files in {SUMS.relative_to(STAGING.parent.parent)}")


if __name__ == "__main__":
    main()
