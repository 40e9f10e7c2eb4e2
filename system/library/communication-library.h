// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "system/library/installed-library.h"

#include <memory>

namespace nadi
{

/// A kind of communication library, chosen by name, with parameters.
///
/// To add one: copy `plain-library.cc`, edit, register, add it to CMakeLists.txt here.
class CommunicationLibrary
{
  public:
    virtual ~CommunicationLibrary() = default;

    /// Whether it decides itself how a collective runs and what a message costs, so that the keys
    /// of `system` about these must not stand beside it.
    virtual bool DecidesItself() const
    {
        return false;
    }

    /// Whether it runs only where the NPUs of the network stand in nodes.
    virtual bool NeedsNodes() const
    {
        return false;
    }

    /// The references of `surroundings` outlive what is returned.
    virtual std::unique_ptr<InstalledLibrary>
    Install(const LibrarySurroundings& surroundings) const = 0;
};

/// The library that the options name. Throws ConfigError as Registry::Make does.
std::unique_ptr<CommunicationLibrary> MakeLibrary(const SystemOptions& options);

/// Installs the library that the options name. Throws ConfigError as Registry::Make does.
std::unique_ptr<InstalledLibrary> InstallLibrary(const LibrarySurroundings& surroundings);

} // namespace nadi
