"""Downloads the URL sys.argv[1] to the file sys.argv[2]."""

import os, sys, urllib.request
os.makedirs(os.path.dirname(os.path.abspath(sys.argv[2])), exist_ok=True)
urllib.request.urlretrieve(sys.argv[1], sys.argv[2])
