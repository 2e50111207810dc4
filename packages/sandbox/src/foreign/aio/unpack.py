"""Unpacks the zip or tar file of standard input into the folder sys.argv[1]."""

import io, sys, tarfile, zipfile
data = io.BytesIO(sys.stdin.buffer.read())
if zipfile.is_zipfile(data):
    zipfile.ZipFile(data).extractall(sys.argv[1])
else:
    data.seek(0)
    tarfile.open(fileobj=data).extractall(sys.argv[1], filter="data")
