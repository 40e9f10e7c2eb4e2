// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/communication-library.h"

#include "common/error.h"
#include "common/text.h"

namespace nadi
{

std::unique_ptr<InstalledLibrary>
InstallLibrary(const LibrarySurroundings& surroundings)
{
    const LibraryChoice& choice = surroundings.options.library;
    const auto& registry = Registry<CommunicationLibrary>::Instance();
    const auto* entry = registry.Find(choice.name);
    if (entry == nullptr)
    {
        throw ConfigError("system.library",
                          "no library is called " + choice.name +
                              SuggestFrom(choice.name, registry.Names()));
    }
    return entry->make(Parameters::Parse(entry->parameters, choice.parameters))
        ->Install(surroundings);
}

} // namespace nadi
