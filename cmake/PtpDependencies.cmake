# The libraries used besides libtorch; `./dev setup` installs them.

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG COMPONENTS filesystem program_options)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(doctest REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

# The package configuration of Debian's libzip names programs of packages that are not needed.
find_package(PkgConfig REQUIRED)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(libgit2 REQUIRED IMPORTED_TARGET libgit2)
pkg_check_modules(libarchive REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(libcurl REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(libsodium REQUIRED IMPORTED_TARGET libsodium)
