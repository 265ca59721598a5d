"""Archives whose bytes depend on their contents and one time only: tar, ar, zip, and an OCI image."""

import gzip
import hashlib
import io
import json
import lzma
import tarfile
import time
import zipfile


class Entry:
    """A file of an archive. Paths have no leading slash; folders are added by the archives."""

    def __init__(self, data, mode=0o644):
        self.data = data.encode() if isinstance(data, str) else data
        self.mode = mode


def folders_of(paths):
    """Returns all folders in which the paths are."""
    return sorted({"/".join(path.split("/")[:depth]) for path in paths for depth in range(1, path.count("/") + 1)})


def tar(entries, when, prefix="", form=tarfile.GNU_FORMAT):
    """Returns a tar file, owned by root. `entries` maps paths to entries."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        folders = [("", True)] if prefix else []
        members = folders + [(path, True) for path in folders_of(entries)] + [(path, False) for path in entries]
        for path, is_folder in sorted(members):
            info = tarfile.TarInfo(prefix + path)
            info.mtime, info.uname, info.gname = when, "root", "root"
            if is_folder:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(info)
            else:
                info.size, info.mode = len(entries[path].data), entries[path].mode
                archive.addfile(info, io.BytesIO(entries[path].data))
    return out.getvalue()


def unpacked(path):
    """Returns the files of a tar file by their paths."""
    with tarfile.open(path) as archive:
        return {member.name: Entry(archive.extractfile(member).read(), member.mode & 0o777) for member in archive if member.isfile()}


def gz(data):
    """Compresses without a name and a time."""
    data = data.encode() if isinstance(data, str) else data
    return gzip.compress(data, 9, mtime=0)


def deb(control, data, when):
    """Returns a Debian package: an ar file of two tar files."""
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.xz", lzma.compress(tar(control, when, "./"), preset=6)),
        ("data.tar.xz", lzma.compress(tar(data, when, "./"), preset=6)),
    ]
    out = b"!<arch>\n"
    for name, content in members:
        out += f"{name:<16}{when:<12}{0:<6}{0:<6}{0o100644:<8o}{len(content):<10}`\n".encode()
        out += content + b"\n" * (len(content) % 2)
    return out


def zipped(entries, when):
    """Returns a zip file, in the order of the entries."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, entry in entries.items():
            info = zipfile.ZipInfo(path, time.gmtime(when)[:6])
            info.create_system, info.external_attr = 3, (0o100000 | entry.mode) << 16
            archive.writestr(info, entry.data, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def oci_image(entries, when, process, name):
    """Returns a tar file with the OCI layout of an image of one layer. `process` is its `config`."""
    blobs = {}

    def blob(data, kind):
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = Entry(data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    def document(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
    layer = tar(entries, when)
    config = {
        "created": created, "architecture": "amd64", "os": "linux", "config": process,
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": created, "created_by": "packaging/build image"}],
    }
    manifest = {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob(document(config), "config.v1+json"), "layers": [blob(gz(layer), "layer.v1.tar+gzip")],
    }
    described = blob(document(manifest), "manifest.v1+json")
    described["annotations"] = {"org.opencontainers.image.ref.name": name}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [described]}
    layout = {"oci-layout": Entry('{"imageLayoutVersion":"1.0.0"}'), "index.json": Entry(document(index))}
    return tar(layout | blobs, when)
