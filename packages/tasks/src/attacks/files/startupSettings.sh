cd ~
evil='touch ~/ran-by-$(id -un)'
mkdir -p .config/openbox .config/fontconfig .config/environment.d .config/autostart .config/gtk-3.0 .local/share/dbus-1/services bin
for file in .bashrc .profile .bash_profile .bash_login .zshenv .xprofile .xsessionrc .config/openbox/autostart; do echo "$evil" >>$file; done
printf 'int x; __attribute__((constructor)) void f(void) { __builtin_trap(); }' >evil.c
gcc -shared -fPIC -o evil.so evil.c 2>/dev/null
echo "LD_PRELOAD=$HOME/evil.so" >.config/environment.d/evil.conf
printf '<?xml version="1.0"?><fontconfig><dir>/proc</dir></fontconfig>' >.config/fontconfig/fonts.conf
for name in cat node bash sh python3 id ls; do printf '#!/bin/sh\necho reached by ~/bin >>~/fooled\n' >bin/$name; chmod +x bin/$name; done
printf 'export PATH=$HOME/bin:$PATH; alias cat=true; export LD_PRELOAD=%s NODE_OPTIONS=--require=%s BASH_ENV=%s\n' "$HOME/evil.so" "$HOME/evil.js" "$HOME/.bashrc" >>.bash_profile
[ -e ran-by-system ] && echo reached
true
