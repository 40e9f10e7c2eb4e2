// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <filesystem>
#include <string>

namespace nadi
{

/// The bytes of a file as they are. Throws ConfigError when it cannot be read.
std::string ReadFileContents(const std::filesystem::path& path);

/// Whether bytes begin as gzip does, whatever the file's name.
bool IsCompressed(const std::string& contents);

/// The bytes that a gzip file (of one or more members) holds. Throws ConfigError, at `source`,
/// when it is damaged or cut off.
std::string Inflate(const std::string& compressed, const std::string& source);

} // namespace nadi
