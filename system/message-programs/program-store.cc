// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-store.h"

#include "common/hash.h"
#include "system/message-programs/program-bytes.h"
#include "system/message-programs/program-proof.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>

namespace nadi
{

namespace
{

// A file is this line, a line with the key, a line with a checksum of all that follows, a line with
// the name of a built-in algorithm or nothing, and the bytes of the program.
constexpr std::string_view MAGIC = "nadi program 1\n";

std::string
SumOf(std::string_view bytes)
{
    StoreKey sum;
    sum.Add(bytes);
    return sum.Hex();
}

/// Takes a line off the front of `rest`.
std::string_view
TakeLine(std::string_view& rest)
{
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
}

/// Whether the program may be used for the wish. It is proven anew, as if it had just been made:
/// neither the name of the file nor its checksum says that the simulator which wrote it was right.
/// Where the type has no root, that of the wish means nothing.
bool
Suits(const MessageProgram& program, const ProgramWish& wish)
{
    const ProgramBuffers& buffers = program.Buffers();
    return buffers.type == wish.type && buffers.ranks == wish.ranks.size() &&
           (!HasRoot(wish.type) || buffers.root == wish.root) && !FindProgramFault(program);
}

} // namespace

void
StoreKey::Add(uint64_t word)
{
    // Both halves depend on all words so far and on their order.
    m_high = Mix64(m_high ^ word);
    m_low = Mix64(m_low + m_high) ^ Mix64(~word);
}

void
StoreKey::Add(std::string_view text)
{
    // The length is added too, so that "ab" and "c" differ from "a" and "bc".
    Add(text.size());
    for (size_t begin = 0; begin < text.size(); begin += 8)
    {
        uint64_t word = 0;
        for (const char each : text.substr(begin, 8))
        {
            word = word << 8 | static_cast<unsigned char>(each);
        }
        Add(word);
    }
}

std::string
StoreKey::Hex() const
{
    std::string text;
    for (const uint64_t word : {m_high, m_low})
    {
        for (int shift = 60; shift >= 0; shift -= 4)
        {
            text.push_back("0123456789abcdef"[word >> shift & 15U]);
        }
    }
    return text;
}

ProgramStore::ProgramStore(const ProgramDirectory& directory, StoreKey key)
    : m_directory(directory)
{
    key.Add(directory.version);
    m_key = key.Hex();
    m_file = (std::filesystem::path(directory.path) / (m_key + ".program")).string();
}

std::optional<StoredProgram>
ProgramStore::Load(const ProgramWish& wish, std::string& complaint) const
{
    std::ifstream file(m_file, std::ios::binary);
    // Without a version files of other builds would be taken for our own. Save tells the user.
    if (m_directory.version.empty() || !file)
    {
        return std::nullopt;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::string_view rest = text;
    if (rest.starts_with(MAGIC))
    {
        rest.remove_prefix(MAGIC.size());
        const std::string_view key = TakeLine(rest);
        const std::string_view sum = TakeLine(rest);
        const std::string_view summed = rest;
        const std::string_view builtIn = TakeLine(rest);
        if (key == m_key && sum == SumOf(summed))
        {
            std::optional<MessageProgram> program = ReadProgramBytes(rest);
            if (program && Suits(*program, wish))
            {
                return StoredProgram{.program = std::move(*program),
                                     .builtIn = std::string(builtIn)};
            }
        }
    }
    complaint = m_file + " is damaged, or no program of this cache; its program is made anew";
    return std::nullopt;
}

std::string
ProgramStore::Save(const StoredProgram& stored) const
{
    if (m_directory.version.empty())
    {
        return "this program has no build id, so that nobody knows which programs of the plan "
               "cache "
               "are its own; it is not used";
    }
    std::error_code failure;
    // Whether this failed shows when the file is opened.
    std::filesystem::create_directories(m_directory.path, failure);
    const std::string summed = stored.builtIn + "\n" + WriteProgramBytes(stored.program);
    // Each process writes a file of its own and renames it, so that others see the whole file or
    // nothing. Two processes that make the same program write the same bytes, so the one that comes
    // last does no harm.
    const std::string staging = m_file + "." + std::to_string(std::random_device()()) + ".part";
    std::ofstream file(staging, std::ios::binary);
    file << MAGIC << m_key << "\n" << SumOf(summed) << "\n" << summed;
    file.close();
    std::error_code renaming;
    if (file)
    {
        std::filesystem::rename(staging, m_file, renaming);
    }
    if (!file || renaming)
    {
        std::filesystem::remove(staging, failure);
        return m_directory.path + " takes no file; programs are not kept";
    }
    return "";
}

} // namespace nadi
