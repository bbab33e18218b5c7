# shellcheck shell=sh disable=SC2154
# setup.sh - sourced by ./titan and ./test: packages, configuration, build.
#
# It is silent where there is nothing to do. What it cannot do by itself it says
# in one coded error, with the command that would.
#
# Uses: $root (the source folder), $preset (release, sanitize).

say() { printf '%s\n' "$*" >&2; }

# refuse CODE MESSAGE FIX: the form of every error of TITAN.
refuse() {
  say "titan: error: $2  [$1]"
  say "  fix: $3"
  exit 2
}

# progress TEXT: one line, rewritten, on a terminal; nothing elsewhere.
progress() {
  if [ -t 2 ]; then
    printf '\r\033[K%s' "$*" >&2
  fi
}

# What a build needs: a file that shows it is there, and Debian's package.
llvm=/usr/lib/llvm-22
requirements="
$llvm/bin/clang++ clang-22
$llvm/bin/ld.lld lld-22
$llvm/lib/cmake/llvm/LLVMConfig.cmake llvm-22-dev
$llvm/bin/FileCheck llvm-22-tools
$llvm/lib/cmake/mlir/MLIRConfig.cmake libmlir-22-dev
$llvm/bin/mlir-tblgen mlir-22-tools
cmake cmake
ninja ninja-build
ccache ccache
python3 python3
/usr/include/gtest/gtest.h libgtest-dev
/usr/include/gmock/gmock.h libgmock-dev
/usr/include/nlohmann/json.hpp nlohmann-json3-dev
/usr/include/zlib.h zlib1g-dev
"
if [ "$preset" = sanitize ]; then
  requirements="$requirements
$llvm/lib/clang/22/lib/linux/libclang_rt.asan-x86_64.a libclang-rt-22-dev
"
fi

# Prints the packages that are missing, on one line.
missing_packages() {
  printf '%s\n' "$requirements" | while read -r file package; do
    case $file in
    '') continue ;;
    /*) [ -e "$file" ] && continue ;;
    *) command -v "$file" >/dev/null 2>&1 && continue ;;
    esac
    # One of several files of a package is enough to name it once.
    printf '%s ' "$package"
  done
}

install_packages() {
  packages=$(missing_packages)
  packages=${packages% }
  [ -z "$packages" ] && return 0
  command="apt-get install --no-install-recommends $packages"
  hint="as root, on Debian 12 with its security updates: apt-get update && $command"
  command -v apt-get >/dev/null 2>&1 ||
    refuse setup-missing "needs packages that are not installed: $packages" \
      "there is no apt-get here; install LLVM, MLIR and Clang 22, lld, CMake 3.25, Ninja, ccache, Python 3, GoogleTest and nlohmann-json (Debian calls them: $packages)"
  sudo=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 ||
      refuse setup-missing "needs packages that are not installed, and is not root: $packages" "$hint"
    # A password can be asked for on a terminal only.
    if [ -t 0 ] && [ -t 2 ]; then sudo=sudo; else sudo="sudo -n"; fi
    $sudo true 2>/dev/null || $sudo true ||
      refuse setup-missing "needs packages that are not installed, and sudo refuses: $packages" "$hint"
  fi
  apt_log=$(mktemp)
  say "titan: installing $packages"
  progress "  updating package lists"
  if ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get update >"$apt_log" 2>&1; then
    progress ""
    tail -n 5 "$apt_log" >&2
    refuse setup-missing "apt-get update failed: no network, or no package server" "$hint"
  fi
  progress "  installing (some minutes)"
  # shellcheck disable=SC2086
  if ! $sudo env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends $packages >"$apt_log" 2>&1; then
    progress ""
    tail -n 5 "$apt_log" >&2
    refuse setup-missing "apt-get install failed" "$hint"
  fi
  progress ""
  rm -f "$apt_log"
  left=$(missing_packages)
  [ -z "$left" ] ||
    refuse setup-missing "still missing after installation: $left" "$hint"
}

# The compiler's cache: results do not depend on where the source folder lies.
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}"
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}"
export CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
# What a file includes the compiler writes down: it is not preprocessed another time.
export CCACHE_DEPEND="${CCACHE_DEPEND:-1}"

# As many compilers as there are cores, and 1.5 GB of free memory for each.
parallel_jobs() {
  cores=$(nproc 2>/dev/null || echo 2)
  memory=$(awk '/^MemAvailable/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null)
  memory=${memory:-$cores}
  [ "$memory" -lt 1 ] && memory=1
  if [ "$memory" -lt "$cores" ]; then echo "$memory"; else echo "$cores"; fi
}

# build TARGETS...: brings the build folder up to date.
build() {
  [ "$preset" = release ] && folder=build || folder=build-$preset
  mkdir -p "$root/$folder" 2>/dev/null ||
    refuse build-failed "cannot write to $root/$folder" "make the source folder writable"
  log=$root/$folder/build.log
  # One build at a time; the others wait for it.
  if command -v flock >/dev/null 2>&1; then
    exec 9>"$root/$folder/.lock"
    flock 9
  fi
  install_packages
  now=$root/$folder/.stamp.new
  : >"$now"
  if [ ! -f "$root/$folder/build.ninja" ]; then
    progress "titan: configuring"
    if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1; then
      # A folder of another machine, or of another generator: once more, afresh.
      rm -rf "$root/$folder/CMakeCache.txt" "$root/$folder/CMakeFiles"
      if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1; then
        progress ""
        tail -n 20 "$log" >&2
        refuse build-failed "CMake refuses to configure" "see above, and $log"
      fi
    fi
    # Off a terminal nothing moves for minutes.
    [ -t 2 ] || say "titan: building for the first time, some minutes; see $log"
  fi
  progress "titan: building"
  if [ -t 2 ]; then
    NINJA_STATUS='[%f/%t] ' ninja -C "$root/$folder" -j "$(parallel_jobs)" "$@" 2>&1 |
      tee "$log" | while IFS= read -r line; do
        case $line in
        '['[0-9]*/[0-9]*']'*) progress "titan: building ${line%%]*}]" ;;
        esac
      done
    # A pipe hides the status; a second run says it at once.
    if ninja -C "$root/$folder" -n "$@" 2>/dev/null | grep -q 'no work to do'; then
      status=0
    else
      status=1
    fi
  else
    ninja -C "$root/$folder" -j "$(parallel_jobs)" "$@" >"$log" 2>&1
    status=$?
  fi
  progress ""
  if [ "$status" != 0 ]; then
    grep -E -A 12 'error:|FAILED:' "$log" | head -n 40 >&2
    refuse build-failed "the build failed" "see above, and $log"
  fi
}

# stamp FILE: what was built is up to date as of the start of the build.
stamp() { mv -f "$now" "$1" 2>/dev/null || true; }
