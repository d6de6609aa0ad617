#include "fuzz/expect.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"
#include "tar_index.hpp"

#include <ptp/error.hpp>

namespace ptp::fuzz {

void shards(std::string_view input) {
    const InputFile file(input);
    const TarShards opened({file.path()});
    try {
        std::string content;
        for (const TarMember& member : opened.members(0)) {
            opened.read(member.place, content);
            expect(content == input.substr(member.place.offset, member.place.size),
                   "a member's content is the bytes at its place");
        }
    } catch (const ptp::DataError&) {
    }
}

}  // namespace ptp::fuzz
