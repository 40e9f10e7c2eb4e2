// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/program-wish.h"
#include "system/message-programs/stored-program.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace nadi
{

/// A directory that keeps programs from one run to the next.
struct ProgramDirectory
{
    std::string path;
    /// Of the simulator: another one makes other programs. Empty: nobody knows, and nothing is
    /// kept.
    std::string version;
};

/// A name for what a program depends on: a hash of 128 bits of numbers and texts, whose order
/// matters. Two that differ have one name with a probability of 2^-128 or so.
class StoreKey
{
  public:
    void Add(uint64_t word);
    void Add(std::string_view text);

    /// 32 hexadecimal digits.
    std::string Hex() const;

  private:
    uint64_t m_high = 1;
    uint64_t m_low = 2;
};

/// Programs in a ProgramDirectory, a file for each. A file is used only if it is whole, was written
/// for the same key, and holds a program that does what the wish asks for (FindProgramFault).
/// Several processes may share a directory: files appear as a whole.
class ProgramStore
{
  public:
    /// `key`: of all that the program depends on; the version of the directory is added.
    ProgramStore(const ProgramDirectory& directory, StoreKey key);

    /// Why a file is no good, or none was there, is in `complaint`, which is empty where nothing is
    /// wrong.
    std::optional<StoredProgram> Load(const ProgramWish& wish, std::string& complaint) const;

    /// Makes the directory if need be. What went wrong, or nothing.
    std::string Save(const StoredProgram& stored) const;

  private:
    const ProgramDirectory& m_directory;
    std::string m_key;
    std::string m_file;
};

} // namespace nadi
