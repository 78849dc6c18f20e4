# Steelyard with what `compare`, `check` and `load` need: JDK, Maven, Go, git. Tools of your own services go into an image on top.
#   docker build --tag steelyard . && docker run --rm --volume "$PWD:/data" steelyard check old.jar new.jar --service shop
FROM debian:trixie AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends build-essential ca-certificates python3 python3-venv rustup \
    && rm -rf /var/lib/apt/lists/*
RUN rustup default stable
COPY . /source
RUN sh /source/tools/container/install.sh /opt/steelyard

FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git golang-go maven openjdk-25-jdk-headless procps python3 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/steelyard /opt/steelyard
ENV PATH="/opt/steelyard/bin:$PATH"
RUN useradd --create-home --shell /bin/bash steelyard && install --directory --owner steelyard /data
USER steelyard
WORKDIR /data
ENTRYPOINT ["steelyard"]
