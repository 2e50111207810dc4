# Enters the namespaces of a session with a root of its own and becomes a user inside, with no more capabilities than named. Nobody inside
# meets a process with more: it is there only once they are gone. Whatever is executed afterwards may be the session's own.
# Arguments: the numbers of setns, setgroups, setresgid, setresuid, capset and prctl; user, group, capabilities (two halves); the number of
# namespaces and their files, the user namespace first; the program.
use strict;
my ($setns, $setgroups, $setresgid, $setresuid, $capset, $prctl, $uid, $gid, $low, $high) = map { 0 + $_ } splice(@ARGV, 0, 10);
sub call { my ($what, $number, @rest) = @_; syscall($number, @rest) >= 0 or do { print STDERR "$what: $!\n"; exit 125 } }

my @namespaces = map { open(my $file, "<", $_) or do { print STDERR "$_: $!\n"; exit 125 }; $file } splice(@ARGV, 0, shift @ARGV);
call("setns", $setns, fileno($_), 0) for @namespaces;
call("setgroups", $setgroups, 0, 0);
call("setresgid", $setresgid, $gid, $gid, $gid);
for my $capability (0 .. 63) {
  my $kept = $capability < 32 ? $low >> $capability & 1 : $high >> ($capability - 32) & 1;
  last if !$kept && syscall($prctl, 24, $capability, 0, 0, 0) < 0;
}
call("setresuid", $setresuid, $uid, $uid, $uid);
my ($header, $sets) = (pack("LL", 0x20080522, 0), pack("L6", $low, $low, 0, $high, $high, 0));
call("capset", $capset, $header, $sets);

my $child = fork() // exit 125;
if ($child == 0) {
  # Dies with the process that led it inside.
  syscall($prctl, 1, 9, 0, 0, 0);
  $SIG{INT} = $SIG{QUIT} = "DEFAULT";
  exec { $ARGV[0] } @ARGV or exit 127;
}
while (1) {
  next if waitpid($child, 2) != $child;
  my ($signal, $code) = ($? & 127, $? >> 8);
  if ($signal == 127) { kill STOP => $$; kill CONT => $child; next }
  exit $code if $signal == 0;
  syscall($prctl, 4, 0, 0, 0, 0);
  $SIG{INT} = $SIG{QUIT} = "DEFAULT";
  kill $signal => $$;
  exit 128 + $signal;
}
