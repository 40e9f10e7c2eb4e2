// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/program-identity.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <link.h>
#include <span>

namespace nadi
{

namespace
{

/// The name and the content of a note are each filled up to a multiple of four bytes. The header
/// has their sizes without the filling: a name of 5 bytes takes 8.
constexpr size_t
RoundUp(size_t size)
{
    return (size + 3) / 4 * 4;
}

std::string
ToHex(std::span<const unsigned char> bytes)
{
    std::string text;
    for (const unsigned char byte : bytes)
    {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

/// The build id among the notes of a segment; empty when it is not there.
std::string
FindBuildId(std::span<const unsigned char> notes)
{
    ElfW(Nhdr) note;
    while (notes.size() >= sizeof(note))
    {
        std::memcpy(&note, notes.data(), sizeof(note));
        const size_t content = sizeof(note) + RoundUp(note.n_namesz);
        const size_t end = content + RoundUp(note.n_descsz);
        // The note claims more bytes than are left, so nothing from here on can be trusted.
        if (end > notes.size())
        {
            break;
        }
        if (note.n_type == NT_GNU_BUILD_ID)
        {
            return ToHex(notes.subspan(content, note.n_descsz));
        }
        notes = notes.subspan(end);
    }
    return "";
}

/// Stops after the first object, which is the program itself; the libraries come after it.
int
ReadProgram(dl_phdr_info* object, size_t, void* found)
{
    auto& buildId = *static_cast<std::string*>(found);
    for (int i = 0; i < object->dlpi_phnum && buildId.empty(); ++i)
    {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type == PT_NOTE)
        {
            // The loader has put the segment there; as an address, it is a number in these headers.
            const auto* start =
                reinterpret_cast<const unsigned char*>(object->dlpi_addr + segment.p_vaddr);
            buildId = FindBuildId({start, segment.p_memsz});
        }
    }
    return 1;
}

} // namespace

std::string
ToText(const ProgramIdentity& program)
{
    return fmt::format("nadi {} (build {})", program.version, program.build);
}

std::string
ReadBuildId()
{
    std::string buildId;
    dl_iterate_phdr(&ReadProgram, &buildId);
    return buildId;
}

} // namespace nadi
