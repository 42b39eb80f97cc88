#!/usr/bin/env perl
# Includes against tools/layers.txt: `check_layers.pl` prints each one that the table does not allow,
# and each cycle of folders or files, and exits with 1 if there is any. `check_layers.pl draw` prints
# the table, tests apart, as the figure of docs/architecture.md; the check compares the two.
use strict;
use warnings;
use File::Basename;
use File::Find;

chdir dirname(__FILE__) . '/..' or die "$!\n";
my $faults = 0;

sub fault { print STDERR "check_layers: @_\n"; ++$faults; }

# --- The table ---

my (@order, %below, %reach);
open my $table, '<', 'tools/layers.txt' or die "tools/layers.txt: $!\n";
while (my $line = <$table>) {
  next if $line =~ /^\s*(#|$)/;
  $line =~ /^(\S+):\s*(.*?)\s*$/ or die "tools/layers.txt:$.: expected 'FOLDER: FOLDER...'\n";
  my ($folder, @named) = ($1, split ' ', $2);
  exists $below{$_} or die "tools/layers.txt:$.: $_ must stand above $folder\n" for @named;
  push @order, $folder;
  $below{$folder} = \@named;
  # Folders are named from the bottom up, so no cycle can be written down.
  $reach{$folder} = {map { $_ => 1 } $folder, map { keys %{$reach{$_}} } @named};
}

sub draw {
  my @lines = ('```mermaid', 'flowchart TD');
  for my $folder (grep { !m{^tests/} } reverse @order) {
    (my $id = $folder) =~ tr{/}{_};
    push @lines, "  $id\[\"$folder\"\]";
    push @lines, "  $id --> " . tr{/}{_}r for @{$below{$folder}};
  }
  return join("\n", @lines, '```') . "\n";
}

if (@ARGV && $ARGV[0] eq 'draw') {
  print draw();
  exit 0;
}

# --- The sources ---

# The folder of the table that a file belongs to: the longest one that its path begins with.
sub folder_of {
  my ($path) = @_;
  return 'edgefw' if $path =~ m{^(core/include/edgefw/|kernels/kernels\.h$)};
  my ($best) = sort { length $b <=> length $a } grep { index($path, "$_/") == 0 } @order;
  return $best;
}

# The file of the tree behind an include of `path`; undef for a system header.
sub resolve {
  my ($path, $name) = @_;
  return 'kernels/kernels.h' if $name eq 'edgefw/kernels.h';
  for my $root (dirname($path), 'core', 'core/include', 'kernels', 'tests', 'kernels/cuda', '.') {
    my $file = "$root/$name";
    $file =~ s{^\./}{};
    1 while $file =~ s{(^|/)(?!\.\.)[^/]+/\.\./}{$1};
    return $file if -f $file;
  }
  return undef;
}

my %includes;
find({no_chdir => 1, wanted => sub { /\.(c|h|cu|cuh|cc)$/ && ($includes{$_} = []) }},
     'core', 'kernels', 'plugins', 'tests');

for my $path (sort keys %includes) {
  my $folder = folder_of($path);
  fault("$path: its folder is not in tools/layers.txt") if !defined $folder && $path !~ m{^tests/};
  open my $in, '<', $path or die "$path: $!\n";
  while (my $line = <$in>) {
    next unless $line =~ /^\s*#\s*include\s*["<]([^">]+)[">]/;
    my $target = resolve($path, $1);
    next unless defined $target;
    push @{$includes{$path}}, $target;
    next unless defined $folder;
    my $other = folder_of($target);
    if (!defined $other || !$reach{$folder}{$other}) {
      fault("$path:$.: $folder may not include $target" . (defined $other ? " of $other" : ''));
    }
  }
}

# --- Cycles of files ---

my %state;    # 1: on the way down, 2: done
sub walk {
  my ($path, @way) = @_;
  return if ($state{$path} // 0) == 2;
  if (($state{$path} // 0) == 1) {
    fault('a cycle of includes: ' . join(' -> ', @way, $path));
    return;
  }
  $state{$path} = 1;
  walk($_, @way, $path) for @{$includes{$path} // []};
  $state{$path} = 2;
}
walk($_) for sort keys %includes;

# --- The figure ---

open my $page, '<', 'docs/architecture.md' or die "docs/architecture.md: $!\n";
my $text = do { local $/; <$page> };
fault("docs/architecture.md: its figure of the layers is not 'tools/check_layers.pl draw'")
    if index($text, draw()) < 0;

exit($faults ? 1 : 0);
