# Builds, signs, checks and publishes a release in .build/release. Each step of the workflows is a target here.

RELEASE     := .build/release
RELEASE_ENV := .venv-release
RELEASE_PY  := $(RELEASE_ENV)/bin/python
PYTHON_DIST ?= $(RELEASE)/python
# A release has all jars. SLIDEWISE_MINORS=4.3 limits a dry run to the Spark in .venv, which takes a few minutes.
STAGED      := $(if $(SLIDEWISE_MINORS),$(JAR),$(JARS))
# The pins of each environment. Two of them may pin different versions of a package.
REQUIREMENTS := $(wildcard */requirements*.txt */*/requirements*.txt)
# actionlint is a program in Go; without Go on the machine, the workflows are checked as YAML alone.
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

.PHONY: release-artifacts maven-artifacts python-dist checksums sign sbom release-verify release-quick-start release-dry-run \
  pypi-files publish-maven publish-github import-signing-key audit audit-online api-check lint-workflows release-tag-check

##@ Release

release-artifacts: maven-artifacts python-dist ## build the jars with sources, Scaladoc and POMs, the wheel and the sdist into .build/release

maven-artifacts: $(VENV)/tools $(STAGED)
	rm -rf $(RELEASE)/maven
	$(SBT) publishChosen

python-dist: $(STAGED) $(RELEASE_ENV)/installed
	@rm -rf .build/python-src && mkdir -p .build/python-src $(PYTHON_DIST)
	@# A copy, since README.md and LICENSE are links, which lead out of a source distribution.
	cp -RL python/src python/pyproject.toml python/hatch_build.py python/README.md python/LICENSE .gitignore .build/python-src
	cd .build/python-src && $(abspath $(RELEASE_PY)) -m hatchling build -d $(abspath $(PYTHON_DIST))

sbom: $(RELEASE_ENV)/installed ## write CycloneDX bills of materials of the jars and of the wheel
	$(RELEASE_PY) build/release/sbom.py

checksums: $(RELEASE_ENV)/installed ## write SHA256SUMS, and the checksums that Maven wants
	$(RELEASE_PY) build/release/checksums.py

sign: $(RELEASE_ENV)/installed ## sign each file with the key SLIDEWISE_SIGNING_KEY; DRY_RUN=1 makes a throw-away key
	$(RELEASE_PY) build/release/sign.py $(if $(DRY_RUN),--dry-run)

release-verify: $(RELEASE_ENV)/installed ## check the staged files: checksums, signatures, POMs, installation, reproducibility
	$(RELEASE_PY) build/release/verify.py

release-quick-start: $(RELEASE_ENV)/installed ## run the quick start with the staged wheel and jars, in a fresh environment for each Spark minor
	$(RELEASE_PY) build/release/quick_start.py

release-dry-run: ## build, sign and check a release in an empty .build/release; SLIDEWISE_MINORS=4.3 leaves the other Sparks out
	rm -rf $(RELEASE)
	$(MAKE) release-artifacts
	$(MAKE) api-check
	$(MAKE) sbom
	$(MAKE) checksums
	$(MAKE) sign DRY_RUN=1
	$(MAKE) release-verify
	$(MAKE) release-quick-start
	$(if $(shell grep -hs '^site:' $(MAKEFILE_LIST)),$(MAKE) site)

release-tag-check: ## check that the tag TAG, as in v0.2.0, names the version in python/src/slidewise/VERSION
	@test "$(TAG)" = "v$(VERSION)" || { echo "the tag is $(TAG), and the version is $(VERSION)"; exit 1; }

pypi-files: ## copy the wheel and the sdist without their signatures, which PyPI refuses, into .build/pypi
	rm -rf .build/pypi && mkdir -p .build/pypi
	cp $(RELEASE)/python/*.whl $(RELEASE)/python/*.tar.gz .build/pypi

# sbt uploads what stands in this folder.
CENTRAL := target/sona-staging

publish-maven: ## upload the staged jars to Maven Central, as the user SONATYPE_USERNAME with SONATYPE_PASSWORD
	@test -n "$$SONATYPE_PASSWORD" || { echo "SONATYPE_PASSWORD is not set"; exit 1; }
	rm -rf $(CENTRAL) && mkdir -p $(CENTRAL) && cp -R $(RELEASE)/maven/org $(CENTRAL)
	find $(CENTRAL) -name 'maven-metadata*' -delete
	$(SBT) sonaRelease

publish-github: ## make the GitHub release of the tag TAG, with the wheel, the bills of materials, checksums and signatures
	gh release create "$(TAG)" --title "Slidewise $(VERSION)" --notes "See CHANGELOG.md" $(RELEASE)/python/* \
	  $(RELEASE)/sbom/* $(RELEASE)/SHA256SUMS* $(RELEASE)/signing-key.asc

import-signing-key:
	@test -n "$$SLIDEWISE_SIGNING_SECRET" || { echo "SLIDEWISE_SIGNING_SECRET is not set"; exit 1; }
	@printf '%s' "$$SLIDEWISE_SIGNING_SECRET" | gpg --batch --import

##@ Audit

api-check: $(VENV)/tools ## compare the public API of the core and the plugin with the released versions
	$(SBT) checkChosen

audit: $(VENV)/tools $(RELEASE_ENV)/installed ## check licenses, and that jars and wheel bring no code of others; needs no network
	$(RELEASE_PY) build/release/audit.py

# Without --strict, pip-audit passes when its service does not answer.
audit-online: $(RELEASE_ENV)/installed ## ask PyPI's vulnerability service about each pinned Python dependency
	@failed=0; for file in $(REQUIREMENTS); do \
	  echo $$file; $(RELEASE_PY) -m pip_audit --strict --no-deps --disable-pip -r $$file || failed=1; \
	done; exit $$failed

lint-workflows: $(RELEASE_ENV)/installed ## check the workflows of .github
	$(RELEASE_ENV)/bin/yamllint -s -c .github/yamllint.yml .github
	if command -v go >/dev/null; then GOBIN=$(abspath .build/bin) go install $(ACTIONLINT) && .build/bin/actionlint; fi

$(RELEASE_ENV)/installed: build/release/requirements.txt
	$(PYTHON) -m venv $(RELEASE_ENV)
	$(RELEASE_PY) -m pip install -q --disable-pip-version-check -r $<
	touch $@
