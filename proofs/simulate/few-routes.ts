// A simulated process has no routes of the dashboard: nobody asks for them here, and a process makes its routes anew after each
// crash.

import { dashboardRoutes } from '../../src/dashboard/routes.ts'

dashboardRoutes.splice(0)
