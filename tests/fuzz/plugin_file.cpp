#include "plugin/note.hpp"

#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"

namespace ptp::fuzz {

void plugin_file(std::string_view input) {
    const InputFile file(input);
    try {
        plugin::read_manifest(file.path());
    } catch (const FileError&) {
    } catch (const plugin::ManifestError&) {
    }
}

}  // namespace ptp::fuzz
