# Mounts overlays in a mount namespace of its own, which ends with the program that it execs, and leaves the host's mounts alone.
# Arguments: the numbers of unshare and mount; the first host user of the session and their count; a folder; the number of overlays; for each
# the lower folder and the mount point below the folder; the program. The lower folder's owners are shown as the session's users.
use strict;
$SIG{__DIE__} = sub { die "root: $_[0]" };
my ($unshare, $mount, $first, $count, $folder, $overlays) = splice(@ARGV, 0, 6);
my ($open_tree, $move_mount, $mount_setattr) = (428, 429, 442);
my ($new_user, $new_mount, $slave, $nosuid_nodev) = (0x10000000, 0x20000, 0x84000, 6);
my ($clone_tree, $from_path, $id_mapped) = (0x80001, 4, 0x100000);

sub call { my ($what, $number, @rest) = @_; my $result = syscall(0 + $number, @rest); die "$what: $!\n" if $result < 0; $result }

# A user namespace exists only to name the mapping.
pipe(my $ready, my $made) && pipe(my $wait, my $release) or die "pipe: $!\n";
my $holder = fork() // die "fork: $!\n";
if ($holder == 0) {
  close $release; close $ready;
  call("unshare", $unshare, $new_user);
  syswrite $made, "x"; sysread $wait, my $end, 1;
  exit 0;
}
close $made; close $wait;
sysread($ready, my $byte, 1) or die "a user namespace could not be made\n";
for my $map ("uid_map", "gid_map") {
  open(my $file, ">", "/proc/$holder/$map") or die "$map: $!\n";
  print($file "0 $first $count\n") && close($file) or die "$map: $!\n";
}
open(my $users, "<", "/proc/$holder/ns/user") or die "user namespace: $!\n";

chdir $folder or die "$folder: $!\n";
call("unshare", $unshare, $new_mount);
my ($none, $slash, $empty, $kind) = ("none", "/", "", "overlay");
call("mount", $mount, $none, $slash, 0, $slave, 0);
for my $index (0 .. $overlays - 1) {
  my ($lower, $at) = splice(@ARGV, 0, 2);
  my $tree = call("open_tree $lower", $open_tree, -100, $lower, $clone_tree);
  my $attributes = pack("Q4", $id_mapped, 0, 0, fileno($users));
  call("mount_setattr $lower", $mount_setattr, $tree, $empty, 0x1000, $attributes, 32);
  my $seen = "lower-$index";
  call("move_mount $lower", $move_mount, $tree, $empty, -100, $seen, $from_path);
  my $options = "lowerdir=$seen,upperdir=upper-$index,workdir=work-$index";
  call("overlay on $lower", $mount, $kind, $at, $kind, $nosuid_nodev, $options);
}
close $release;
waitpid $holder, 0;
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
