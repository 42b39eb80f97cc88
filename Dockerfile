# edgefw in a container, from Debian packages alone:
#
#   docker build -t edgefw .
#   docker run --rm -v "$PWD:/work" edgefw solve tour.tsp
#
# The first stage builds the packages, as `./dev deb` does anywhere; the second installs them.
FROM debian:12 AS build
COPY . /src
RUN /src/dev deb

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/src/build/deb,target=/deb \
    apt-get update && \
    apt-get install -y --no-install-recommends gnuplot-nox \
      /deb/libedgefw0_*.deb /deb/edgefw_*.deb /deb/edgefw-models_*.deb && \
    rm -rf /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["edgefw"]
