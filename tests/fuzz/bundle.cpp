#include "bundle/bundle.hpp"
#include "base/error.hpp"
#include "bundle/show.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"

namespace ptp::fuzz {

void bundle(std::string_view input) {
    const InputFile file(input);
    try {
        const ptp::bundle::BundleFile read(file.path());
        static_cast<void>(ptp::bundle::page_of(read.manifest()));
        read.check();
    } catch (const RunError&) {
    }
    try {
        const auto manifest = ptp::bundle::read_bundle_manifest(input, "x.toml");
        static_cast<void>(text_of(manifest));
    } catch (const RunError&) {
    }
}

}  // namespace ptp::fuzz
