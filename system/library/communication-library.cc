// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/communication-library.h"

namespace nadi
{

std::unique_ptr<InstalledLibrary>
InstallLibrary(const LibrarySurroundings& surroundings)
{
    return Registry<CommunicationLibrary>::Instance()
        .Make(surroundings.options.library)
        ->Install(surroundings);
}

} // namespace nadi
