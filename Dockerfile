# The server on Debian stable: docker build -t safelight .
# On Debian testing: docker build --build-arg SUITE=forky --build-arg VIPS=8.18 -t safelight:testing .
# `make test-image` builds it without Docker, and docs/contributing/testing.md says what was seen. GO and VIPS are pinned: the build fails if
# the release has another libvips. To pin the rest, name the base image by its digest: --build-arg BASE=debian@sha256:...
ARG SUITE=trixie
ARG GO=1.26.8
ARG BASE=debian:${SUITE}-slim

FROM golang:${GO}-trixie AS go

FROM ${BASE} AS build
ARG VIPS=8.16
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates gcc libc6-dev pkg-config libwebp-dev libdeflate-dev libjpeg-dev "libvips-dev=$VIPS.*" \
 && rm -rf /var/lib/apt/lists/*
COPY --from=go /usr/local/go /usr/local/go
ENV PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin GOTOOLCHAIN=local
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
# drivers of docs/guides/storage.md: --build-arg TAGS='gs azblob'
ARG TAGS=
RUN CGO_CFLAGS="-O2 -Wno-discarded-qualifiers" \
    go build -buildvcs=false -trimpath -tags "$TAGS" -ldflags "-s -w -buildid= -X main.version=$VERSION" -o /out/safelight ./cmd/safelight

# libheif of Debian 13 and later has its encoder of AVIF in a package of its own, which nothing requires
FROM ${BASE} AS run
ARG VIPS=8.16
RUN apt-get update \
 && apt-get install -y --no-install-recommends "libvips42t64=$VIPS.*" libwebp7 libdeflate0 libjpeg62-turbo libheif-plugin-aomenc ca-certificates fontconfig fonts-dejavu-core postgresql-client \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/* \
 && groupadd --gid 10001 safelight && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin safelight \
 && install -d -o safelight -g safelight -m 700 /data

FROM build AS bom
COPY --from=run /var/lib/dpkg/status /run.status
ARG VERSION=dev
RUN go run ./scripts/sbom --packages /run.status /out/safelight "$VERSION" > /out/safelight.cdx.json

FROM run
COPY --from=build /out/safelight /usr/local/bin/safelight
COPY --from=bom /out/safelight.cdx.json /usr/share/doc/safelight/safelight.cdx.json
USER 10001:10001
# Docker and Kubernetes wait ever longer before they restart a container, so the program restarts a crashed server itself
ENV SAFELIGHT_LISTEN=:8000 SAFELIGHT_DATA=/data SAFELIGHT_SUPERVISE=true
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=6s --start-period=10s CMD ["safelight", "health"]
ENTRYPOINT ["safelight"]
