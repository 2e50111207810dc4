system=/run/system
ls -A $system 2>/dev/null | sed 's/^/reached listing /'
for path in $system $system/x $system/.config $system/.gyre-browser-x; do
  (: >>$path/forged) 2>/dev/null && echo "reached $path"
  mkdir $path/forged 2>/dev/null && echo "reached $path"
done
find $system -mindepth 1 2>/dev/null | sed 's/^/reached /'
mv $system /run/moved 2>/dev/null && echo reached move
rm -rf $system 2>/dev/null && echo reached remove
ln -sf /home/agent $system 2>/dev/null && [ -e $system/agent ] && echo reached link
if [ -n "$XAUTHORITY" ]; then
  folder=$(dirname "$XAUTHORITY")
  ls "$folder" 2>/dev/null | sed 's/^/reached listing /'
  for name in xauthority x bus rc.xml menu.xml bus.conf menu screen screen/Xvfb_screen0; do
    (: >>"$folder/$name") 2>/dev/null && echo "reached writing $name"
    rm -f "$folder/$name" 2>/dev/null && echo "reached removing $name"
  done
  cat "$folder/screen/Xvfb_screen0" >/dev/null 2>&1 && echo reached screen
fi
true
