# Enters a Landlock domain (linux/landlock.h, the same numbers on every architecture), from which no process outside can be inspected, and
# execs the program. Restores the right to link and rename across folders, which every domain takes away.
if (syscall(444, 0, 0, 1) >= 2) {
  my $right = 1 << 13;
  my $attributes = pack("Q", $right);
  my $rules = syscall(444, $attributes, 8, 0);
  open(my $root, "<", "/") or exit 125;
  my $rule = pack("Ql", $right, fileno($root));
  syscall(445, $rules, 1, $rule, 0) == 0 && syscall(446, $rules, 0) == 0 or exit 125;
}
exec { $ARGV[0] } @ARGV or exit 127;
