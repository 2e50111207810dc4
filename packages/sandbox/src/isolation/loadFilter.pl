# Loads a hexadecimal seccomp filter and execs the program. Perl is on nearly every Linux and can make any system call.
my ($prctl, $seccomp, $filter) = (0 + shift, 0 + shift, pack("H*", shift));
my $program = pack("S x6 P", length($filter) / 8, $filter);
syscall($prctl, 38, 1, 0, 0, 0) == 0 && syscall($seccomp, 1, 0, $program) == 0 or exit 125;
exec { $ARGV[0] } @ARGV or exit 127;
