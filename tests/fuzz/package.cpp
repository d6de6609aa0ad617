#include "base/error.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/minisign.hpp"
#include "ptp-pack/repository.hpp"

#include <optional>

namespace ptp::fuzz {

namespace {

// With what was read, or after the error that is documented.
void read_or_refuse(const auto& read) {
    try {
        read();
    } catch (const RunError&) {
    }
}

}  // namespace

void package(std::string_view input) {
    const InputFile file(input);
    read_or_refuse([&] {
        pack::PackageFile package(file.path(), "x.ptpkg");
        package.unpack([](const pack::PackedFile&) { return std::nullopt; });
    });
    read_or_refuse([&] { pack::text_of(pack::read_package_manifest(input, "x.toml")); });
    read_or_refuse([&] { pack::text_of(pack::read_index(input, "x.toml")); });
    read_or_refuse([&] { pack::text_of(pack::read_signature(input, "x.minisig")); });
    read_or_refuse([&] { pack::text_of(pack::read_public_key(input, "x.pub")); });
}

}  // namespace ptp::fuzz
