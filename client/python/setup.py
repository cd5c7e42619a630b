# The extension module.  csrc/ links to the C sources of the project; in a source distribution it
# has copies of them.
from glob import glob

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "pgsimhash._core",
            sources=sorted(glob("module/*.c") + glob("csrc/lib/*.c") + glob("csrc/core/**/*.c", recursive=True)),
            depends=glob("module/*.h") + glob("csrc/**/*.h", recursive=True),
            include_dirs=["csrc"],
            extra_compile_args=["-std=gnu11", "-O2", "-g0", "-fvisibility=hidden", "-pthread"],
            extra_link_args=["-pthread"],
        )
    ]
)
