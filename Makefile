# Thin wrapper: the build itself is CMake (see CMakePresets.json).
