"""The fingerprints of the PostgreSQL extension simhash, outside the server.

Each function returns the value of the SQL function of its name.
"""

from ._core import version as __version__
from ._fingerprint import Fingerprint
from ._fingerprints import Fingerprints
from ._search import Duplicate, block_keys, bound, distance, distances, duplicates, groups, pairs, stars, within
from ._texts import (
    Change,
    Passage,
    changes,
    containment,
    copy_key,
    first_change,
    minhash,
    minhash_bits,
    minhash_from_features,
    minhash_many,
    passage_keys,
    passages,
    resemblance,
    same_document,
    simhash,
    simhash_bits,
    simhash_from_features,
    simhash_many,
)

__all__ = [
    "Change",
    "Duplicate",
    "Fingerprint",
    "Fingerprints",
    "Passage",
    "block_keys",
    "bound",
    "changes",
    "containment",
    "copy_key",
    "distance",
    "distances",
    "duplicates",
    "first_change",
    "groups",
    "minhash",
    "minhash_bits",
    "minhash_from_features",
    "minhash_many",
    "pairs",
    "passage_keys",
    "passages",
    "resemblance",
    "same_document",
    "simhash",
    "simhash_bits",
    "simhash_from_features",
    "simhash_many",
    "stars",
    "within",
]
