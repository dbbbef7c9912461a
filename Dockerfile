FROM golang:1.26-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libvips-dev libwebp-dev pkg-config gcc && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN go build -buildvcs=false -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /safelight ./cmd/safelight

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libvips42 fontconfig fonts-dejavu-core ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data safelight && install -d -o safelight -m 700 /data
COPY --from=build /safelight /usr/local/bin/safelight
USER safelight
ENV SAFELIGHT_LISTEN=:8000 SAFELIGHT_DATA=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=6s --start-period=10s CMD ["safelight", "health"]
ENTRYPOINT ["safelight"]
