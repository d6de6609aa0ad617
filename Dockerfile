# ptp in a container:
#
#     docker build -t ptp .
#     docker run --rm -v "$PWD:/work" ptp net.toml
#
# The first stage has what ./dev installs, and the second builds; the last has what the programs need to run.
# tests/structure/container.sh compares its packages with what the built files are linked with.

FROM debian:12-slim AS packages
WORKDIR /src
COPY dev ./
COPY cmake/libtorch.sh cmake/
RUN apt-get update -qq && ./dev setup

FROM packages AS build
COPY . .
RUN ./dev build release installed && cmake --install build/release --prefix /opt/ptp

FROM debian:12-slim
RUN apt-get update -qq && \
    apt-get install --yes -qq --no-install-recommends \
        dataset-fashion-mnist \
        fonts-dejavu-core \
        libarchive13 \
        libboost-filesystem1.74.0 \
        libboost-program-options1.74.0 \
        libcurl4 \
        libdeflate0 \
        libfmt9 \
        libgit2-1.5 \
        libgomp1 \
        libgvc6 \
        libicu72 \
        libjpeg62-turbo \
        libopenblas0-openmp \
        libpng16-16 \
        libsentencepiece0 \
        libsodium23 \
        libspdlog1.10 \
        libssl3 \
        libtiff6 \
        libtorch1.13 \
        libwebp7 \
        libyaml-cpp0.7 \
        libzip4 \
        zlib1g && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/ptp /opt/ptp
ENV PATH="/opt/ptp/bin:$PATH"
WORKDIR /work
ENTRYPOINT ["ptprun"]
CMD ["--help"]
