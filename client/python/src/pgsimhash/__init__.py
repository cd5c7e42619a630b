"""The fingerprints of the PostgreSQL extension simhash, outside of the server.

Each function returns the value of the SQL function of its name.
"""

from ._core import version as __version__
from ._fingerprint import Fingerprint
from ._fingerprints import Fingerprints
from ._search import block_keys, bound, distance, distances, groups, pairs, stars, within
from ._texts import (
    Passage,
    containment,
    minhash,
    minhash_bits,
    minhash_many,
    passage_keys,
    passages,
    resemblance,
    simhash,
    simhash_bits,
    simhash_many,
)

__all__ = [
    "Fingerprint",
    "Fingerprints",
    "Passage",
    "block_keys",
    "bound",
    "containment",
    "distance",
    "distances",
    "groups",
    "minhash",
    "minhash_bits",
    "minhash_many",
    "pairs",
    "passage_keys",
    "passages",
    "resemblance",
    "simhash",
    "simhash_bits",
    "simhash_many",
    "stars",
    "within",
]
