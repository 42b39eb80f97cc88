"""Writes golden files: HDF5 that is small and has the same bytes at every run."""

import hashlib
import pathlib

import h5py
import numpy as np
import torch

REVISION = 2
TOLERANCE = 1e-9  # of a float64 device; float32 devices choose their own
FOLDER = pathlib.Path(__file__).resolve().parent
LARGEST_FILE = 64 * 1024
LARGEST_COMPACT = 2048  # bytes; larger results are compressed
MANTISSA_BITS, SMALLEST_STEP = 32, 2.0**-31  # of a compressed result: within TOLERANCE * max(1, size)


def write_case(name, seed, case, attributes):
    """NAME.h5. Its groups `gradients` and `adam`, if any, are links into NAME_gradients.h5 and NAME_adam.h5:
    a reader does not notice, and no file grows too large."""
    rest = dict(case)
    for group in ("gradients", "adam"):
        apart = {key: rest.pop(key) for key in case if key.startswith(group + "/")}
        if apart:
            write_file(f"{name}_{group}", seed, apart, {})
            rest[group] = h5py.ExternalLink(f"{name}_{group}.h5", "/" + group)
    write_file(name, seed, rest, attributes)


def write_packed_case(name, seed, inputs, results, parameters, gradients, attributes):
    """NAME.h5 with all parameters in one dataset and all gradients in another, in the order of the
    attribute parameter_names (README.md): one dataset for each would take more room than its numbers."""
    case = {key: (value, False) for key, value in inputs.items()}
    case.update({key: (value, True) for key, value in results.items()})
    case["parameters"] = (flat(parameters).to(torch.float32), True)
    case["gradients"] = (flat(gradients), True)
    names = "\n".join(f"{key} {value.numel()}" for key, value in parameters.items())
    write_file(name, seed, case, {**attributes, "parameter_names": names})


def flat(tensors):
    return torch.cat([value.detach().reshape(-1) for value in tensors.values()])


def write_manifest():
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(FOLDER.glob("*.h5"))]
    (FOLDER / "MANIFEST.sha256").write_text("".join(lines))


def without_times(kind):
    """Properties of a new object that records no time of day, so that a rerun writes the same bytes."""
    properties = h5py.h5p.create(kind)
    properties.set_obj_track_times(False)
    return properties


def create_file(path):
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)  # the oldest HDF5 that reads them
    creation = without_times(h5py.h5p.FILE_CREATE)
    return h5py.File(h5py.h5f.create(bytes(path), h5py.h5f.ACC_TRUNC, creation, access))


def rounded(array):
    """To MANTISSA_BITS significant bits and to multiples of SMALLEST_STEP: the zeros behind them compress."""
    _, exponent = np.frexp(array)
    step = np.maximum(np.ldexp(1.0, exponent - MANTISSA_BITS), SMALLEST_STEP)
    return np.rint(array / step) * step


def write_dataset(file, key, array, compress=False):
    """Compact layout (data inside the header) keeps many small tensors small."""
    creation = without_times(h5py.h5p.DATASET_CREATE)
    if compress and array.nbytes > LARGEST_COMPACT:
        creation.set_chunk(array.shape)
        creation.set_shuffle()
        creation.set_deflate(9)
        array = rounded(array)
    else:
        creation.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple(array.shape) if array.shape else h5py.h5s.create(h5py.h5s.SCALAR)
    kind = h5py.h5t.STD_I32LE if array.dtype == np.int32 else h5py.h5t.IEEE_F64LE
    if key.startswith("parameters/") or array.dtype == np.float32:
        kind = h5py.h5t.IEEE_F32LE  # exact by construction, half the size
    dataset = h5py.h5d.create(file.id, key.encode(), kind, space, dcpl=creation)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(array))


def write_file(name, seed, items, attributes):
    """items: path -> tensor, link, or (tensor, whether it may be compressed)."""
    path = FOLDER / f"{name}.h5"
    with create_file(path) as file:
        for group in sorted({key.split("/")[0] for key in items if "/" in key}):
            h5py.h5g.create(file.id, group.encode(), gcpl=without_times(h5py.h5p.GROUP_CREATE))
        for key, value in items.items():
            if isinstance(value, h5py.ExternalLink):
                file[key] = value
            elif isinstance(value, tuple):
                write_dataset(file, key, value[0].detach().numpy(), value[1])
            else:
                write_dataset(file, key, value.detach().numpy())
        file.attrs.update(
            {"case": name, "script_revision": REVISION, "seed": seed, "tolerance": TOLERANCE,
             "torch_version": str(torch.__version__), "numpy_version": str(np.__version__), **attributes}
        )  # fmt: skip
    size = path.stat().st_size
    print(f"{path.name}: {size} bytes")
    assert size <= LARGEST_FILE, f"{path.name} is larger than {LARGEST_FILE} bytes"
