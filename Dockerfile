# nescio in a container:  docker build -t nescio .  then  docker run --rm -v "$PWD:/data" nescio score answers.csv
FROM python:3.12-slim
COPY . /src
RUN pip install --no-cache-dir --constraint /src/constraints.txt '/src[judges,systems]' && rm -rf /src
RUN useradd --create-home nescio
USER nescio
WORKDIR /data
ENTRYPOINT ["nescio"]
CMD ["--help"]
