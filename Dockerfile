# An image with Spark, Slidewise, JupyterLab and the notebooks of docs/notebooks: docker build -t slidewise .
# docs/docker.md says how to use it.

FROM python:3.11-slim-bookworm AS build
# Debian removes old versions of packages, so that pinned ones would soon be gone.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends make maven openjdk-17-jdk-headless \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /slidewise
COPY . .
RUN make jar \
    && SLIDEWISE_MINORS=4.3 .venv/bin/python -m pip wheel --no-deps --no-build-isolation -w /wheels ./python

FROM python:3.11-slim-bookworm
# procps has the ps that Spark's scripts call.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jre-headless procps \
    && rm -rf /var/lib/apt/lists/*
COPY docs/notebooks/requirements.txt /tmp/requirements.txt
RUN pip install --no-cache-dir -r /tmp/requirements.txt
COPY --from=build /wheels /tmp/wheels
# hadolint ignore=DL3013
RUN pip install --no-cache-dir --no-deps /tmp/wheels/*.whl \
    && useradd --create-home --uid 1000 slidewise
COPY --chown=1000 docs/notebooks/*.ipynb /home/slidewise/notebooks/
USER 1000
WORKDIR /home/slidewise/notebooks
# JupyterLab, and Spark's web UI.
EXPOSE 8888 4040
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser"]
