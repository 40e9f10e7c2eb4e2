// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/communication-library.h"

namespace nadi
{

std::unique_ptr<CommunicationLibrary>
MakeLibrary(const SystemOptions& options)
{
    return Registry<CommunicationLibrary>::Instance().Make(options.library);
}

std::unique_ptr<InstalledLibrary>
InstallLibrary(const LibrarySurroundings& surroundings)
{
    return MakeLibrary(surroundings.options)->Install(surroundings);
}

} // namespace nadi
