// A picture for a person, see Setup::show().
#pragma once

#include <ptp/abi.h>
#include <ptp/ext/draft/pictures.h>
#include <ptp/detail/host.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace ptp {

struct Picture {
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    std::uint32_t channels = 0;                 // 1 gray; 3 red, green and blue
    std::span<const std::uint8_t> pixels = {};  // row by row, `channels` bytes per pixel
    std::string tag = {};  // distinguishes the pictures of one component in one episode
};

namespace detail {

inline void show(const ptp_host& host, const Picture& picture) {
    const auto* pictures =
        static_cast<const ptp_pictures*>(host.extension(host.context, PTP_HOST_PICTURES));
    if (pictures == nullptr) {
        return;
    }
    const std::size_t size = std::size_t{picture.height} * picture.width * picture.channels;
    if (picture.pixels.size() != size) {
        throw Mistake("a picture of " + std::to_string(picture.height) + " x " +
                      std::to_string(picture.width) + " pixels with " +
                      std::to_string(picture.channels) + " channels has " + std::to_string(size) +
                      " bytes, not " + std::to_string(picture.pixels.size()));
    }
    const ptp_picture shown{.tag = picture.tag.empty() ? nullptr : picture.tag.c_str(),
                            .pixels = picture.pixels.data(),
                            .height = picture.height,
                            .width = picture.width,
                            .channels = picture.channels,
                            .reserved = 0};
    checked(pictures->show(host.context, &shown));
}

}  // namespace detail

}  // namespace ptp
