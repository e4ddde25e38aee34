# bsym with its libz3 in a small image:
#
#   docker build -t bsym .
#   docker run --rm -v "$PWD":/models bsym check lift.mch
FROM rust:1-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip && rm -rf /var/lib/apt/lists/*
COPY . /bsym
WORKDIR /bsym
RUN rm -rf .cargo/config.toml .z3 target && make install PREFIX=/usr/local DESTDIR=/staged

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6 && rm -rf /var/lib/apt/lists/*
COPY --from=build /staged/usr/local /usr/local
WORKDIR /models
ENTRYPOINT ["bsym"]
