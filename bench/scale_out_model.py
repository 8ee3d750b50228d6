#!/usr/bin/env python3
"""How long a run over many bundle images takes with 1 to 512 workers: a simulation with the costs that bench/sharding.py measures.
Usage: bench/scale_out_model.py [IMAGES]. Every number that it assumes is in the table below."""
import math
import random
import sys

REQUESTS = 3             # of an image: manifest, configuration, layer
ROUND_TRIP = 0.020       # seconds
CPU = 0.004              # seconds of an image on one core: fetch, unpack, read, write
BANDWIDTH = 50e6         # bytes a second of a worker
SIZE = (math.log(60e3), 1.3)  # of a layer: lognormal, median 60 KB, one of a hundred above 1.2 MB
CONNECTIONS = 8          # of a worker (-j)
POD_START = (2.0, 20.0)  # seconds: scheduling and pulling the image of opcat
STRAGGLER = (0.02, 4.0)  # of the workers so many are so many times slower
FAILURE = 5e-5           # of an image: a pod dies, and its shard begins again
MERGE = 1.2 / 3.35e9     # seconds for a byte
OUTPUT = 40e3            # bytes of an image


def time_of_image(rng):
    size = rng.lognormvariate(*SIZE)
    return max(CPU, (REQUESTS * ROUND_TRIP + size / BANDWIDTH) / CONNECTIONS)


def run(images, workers, limit, rng):
    """Seconds until all is merged. `limit`: requests a second that the registry allows, for all workers."""
    share = images // workers
    per_request = workers / limit if limit else 0
    ends = []
    for index in range(workers):
        count = share + (index < images % workers)
        slow = STRAGGLER[1] if rng.random() < STRAGGLER[0] else 1
        total = rng.uniform(*POD_START)
        attempt = 0.0
        for _ in range(count):
            attempt += max(time_of_image(rng) * slow, REQUESTS * per_request)
            if rng.random() < FAILURE:
                total += attempt + rng.uniform(*POD_START)
                attempt = 0.0
        ends.append(total + attempt)
    return max(ends) + images * OUTPUT * MERGE


def main():
    images = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    print(f'{images} images; minutes without a limit of the registry, and with 100 and 1000 requests a second')
    one = None
    for workers in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        row = [sum(run(images, workers, limit, random.Random(seed)) for seed in range(5)) / 5 for limit in (0, 100, 1000)]
        one = one or row[0]
        print(f'{workers:4} workers: {row[0] / 60:7.1f} {row[1] / 60:7.1f} {row[2] / 60:7.1f}   {one / row[0]:6.1f} times one, '
              f'{one / row[0] / workers:.2f} of linear')


if __name__ == '__main__':
    main()
