"""Exact search: what a state is worth to every seat when all play their best.

The concept (docs/architecture.md): where one seat decides, it maximises its own value (max^n: Luckhardt, Irani 1986);
where two decide at once, both play an equilibrium of the zero-sum game of the first one's value against the other's;
where the rest of the game is separable, everybody maximises its own score, which no other choice can better.
Chance is enumerated. What lies below the depth limit is estimated, and then the answer is not exact. Three or more
seats that decide at once in a game that is not separable answer each other's likeliest moves: an estimate, too.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from ext.engine cimport SCORE, now
from ext.game cimport C_CHANCE, C_MAX_MOVES, C_MAX_OUTCOMES, C_MAX_SEATS, C_OVER, Game, Observation, move_t
from ext.matrix_game cimport solve_matrix
from ext.rng cimport mix2

cdef double TIE = 1e-12
cdef int64_t SLICE_NS = 10_000_000


cdef inline void blend(Outlook* sum_, const Outlook* part, double weight, int seats) noexcept nogil:
    cdef int s
    for s in range(seats):
        sum_.value[s] += weight * part.value[s]
        sum_.share[s] += weight * part.share[s]
        sum_.score[s] += weight * part.score[s]
        sum_.square[s] += weight * part.square[s]


cdef class Expectimax:
    """An exact search of one world of an observation; `certain` tells whether there is another.

    `nodes` bounds the states that are looked at, `depth` the decisions and chance events in a line.
    """

    def __cinit__(
        self, Game game, Observation observation, int objective, *, nodes=1 << 60, int depth=DEPTH, world=0,
        allowed=None
    ):
        if depth < 1:
            raise ValueError("depth must be at least 1")
        self.game = game
        self.observation = observation
        self.seat = game.observer(observation)
        self.objective = objective
        self.node_limit = nodes
        self.depth_limit = min(depth, DEPTH - 2)
        self.deadline = (1 << 62)
        if self.seat not in game.pending_observation(observation):
            raise ValueError("the seat owes no decision")
        if game.max_moves > C_MAX_MOVES:
            raise ValueError("too many moves")
        self.world = calloc(1, game.state_bytes)
        self.frames = calloc(DEPTH, game.state_bytes)
        if self.world == NULL or self.frames == NULL:
            raise MemoryError
        game.prepare(observation.data, self.world)
        game.sample(observation.data, mix2(world & 0xFFFFFFFFFFFFFFFF, 0), self.world)
        game.reopen(self.world, self.seat)
        self.n_root = self.root_moves(self.root)
        self.outlook = <Outlook*> calloc(self.n_root, sizeof(Outlook))
        self.root_line = <Step*> calloc(self.n_root * LINE, sizeof(Step))
        self.root_length = <int*> calloc(self.n_root, sizeof(int))
        if self.outlook == NULL or self.root_line == NULL or self.root_length == NULL:
            raise MemoryError
        if allowed is not None:
            self._allow(allowed)

    def __dealloc__(self):
        free(self.world)
        free(self.frames)
        free(self.outlook)
        free(self.root_line)
        free(self.root_length)

    def _allow(self, allowed):
        cdef int i, n = 0
        for i in range(self.n_root):
            if self.root[i] in allowed:
                self.root[n] = self.root[i]
                n += 1
        if n == 0:
            raise ValueError("no legal move is allowed")
        self.n_root = n

    cdef int root_moves(self, move_t* moves) noexcept nogil:
        """The moves of the deciding seat at the root; once `n_root` is known, those that are allowed."""
        if self.n_root == 0:
            return self.game.list_moves(self.world, self.seat, moves)
        memcpy(moves, self.root, self.n_root * sizeof(move_t))
        return self.n_root

    def size(self, most=1e18):
        """About how many states `run` would look at, from the numbers of moves along one line; stops above `most`."""
        cdef void* state = self.frame(0)
        cdef move_t moves[C_MAX_MOVES]
        cdef uint32_t outcomes[C_MAX_OUTCOMES]
        cdef uint32_t weights[C_MAX_OUTCOMES]
        cdef double product = 1, apart
        cdef uint32_t owed
        cdef int s, turn
        memcpy(state, self.world, self.game.state_bytes)
        while product < most:
            turn = self.game.turn_of(state)
            if turn == C_OVER:
                return product
            if turn == C_CHANCE:
                if not self.game.futile(state):
                    product *= self.game.list_outcomes(state, outcomes, weights)
                else:
                    self.game.list_outcomes(state, outcomes, weights)
                self.game.settle(state, outcomes[0])
                continue
            apart = 0
            owed = self.game.pending_mask(state)
            if self.game.separable(state):
                for s in range(self.game.seats):
                    apart += self._size_alone(s)
                return product * apart
            for s in range(self.game.seats):
                if owed >> s & 1:
                    product *= self.game.list_moves(state, s, moves)
                    self.game.apply(state, s, moves[0])
        return product

    cdef double _size_alone(self, int seat):
        """The number of lines of one seat from the state in frame 0, the others' decisions left out."""
        cdef void* state = self.frame(1)
        cdef move_t moves[C_MAX_MOVES]
        cdef double product = 1
        memcpy(state, self.frame(0), self.game.state_bytes)
        while self.game.turn_of(state) != C_OVER:
            self.pass_time(state, seat)
            if self.game.pending_mask(state) >> seat & 1:
                product *= self.game.list_moves(state, seat, moves)
                self.game.apply(state, seat, moves[0])
        return product

    def stop(self):
        """Ends `run` within microseconds, from any thread."""
        self.stop_flag = 1

    def run(self, seconds=3600.0):
        """Solves every root move, without the GIL. False when nodes, time or a stop came first."""
        cdef int code
        self.nodes = 0
        self.exact = True
        self.deadline = now() + <int64_t> (seconds * 1e9)
        self.slice_end = 0 if self.between is None else now() + SLICE_NS
        with nogil:
            code = self.solve_root()
        return code == 0

    def moves(self):
        """The root moves, ascending."""
        return [self.root[i] for i in range(self.n_root)]

    def outlooks(self):
        """Per root move: (value, share of first place, score, squared score), each a list over the seats."""
        cdef int n = self.game.seats
        return [
            (
                [self.outlook[i].value[s] for s in range(n)],
                [self.outlook[i].share[s] for s in range(n)],
                [self.outlook[i].score[s] for s in range(n)],
                [self.outlook[i].square[s] for s in range(n)],
            )
            for i in range(self.n_root)
        ]

    def mixes(self):
        """Per seat that decides now: {move: probability}. Empty where a single seat decides."""
        return {
            s: {self.mix_move[s][i]: self.mix[s][i] for i in range(self.mix_size[s])}
            for s in range(self.game.seats) if self.mix_size[s]
        }

    def line_of(self, int choice):
        """The turn that begins with root move number `choice`, when every later decision of it is the best one.

        ([(seat, move)], moves at its start that the seat makes before it learns anything). Where chance decides, the
        likeliest outcome, of equal ones the first, is followed. Where seats decide at once, the root move alone.
        """
        cdef const Step* step = self.root_line + choice * LINE
        cdef int i
        line, playable = [(self.seat, self.root[choice])], 1
        for i in range(self.root_length[choice]):
            if step[i].seat != self.seat:
                break
            line.append((step[i].seat, step[i].move))
            if playable == i + 1 and not step[i].informed:
                playable += 1
        return line, playable

    @property
    def certain(self):
        """Whether the observation leaves this world only."""
        return bool(self.game.certain(self.observation.data))

    cdef void* frame(self, int depth) noexcept nogil:
        return <char*> self.frames + depth * self.game.state_bytes

    cdef bint spent(self) noexcept nogil:
        """Counts a node; True when there is no more to spend."""
        self.nodes += 1
        if self.nodes > self.node_limit:
            return True
        if self.nodes % 256:
            return False
        if self.slice_end and now() > self.slice_end:
            self.pause()
        return self.stop_flag or now() > self.deadline

    cdef void pause(self) noexcept nogil:
        """Lets whoever shares the core go first."""
        with gil:
            self.between()
        self.slice_end = now() + SLICE_NS

    cdef void judge(self, const void* state, const int32_t* scores, Outlook* out) noexcept nogil:
        """What final scores are worth: the formula of ext/engine.pyx in full precision."""
        cdef int32_t places[C_MAX_SEATS]
        cdef int s, n = self.game.seats
        cdef int winners = 0
        cdef double mean = 0
        self.game.places(state, scores, places)
        for s in range(n):
            winners += places[s] == 1
            mean += scores[s]
        mean /= n
        if n == 1:
            self.value_alone(out, self.game.met(state, scores), scores[0], 0)
            return
        for s in range(n):
            out.share[s] = 1.0 / winners if places[s] == 1 else 0
            out.score[s] = scores[s]
            out.square[s] = <double> scores[s] * scores[s]
            if self.objective == SCORE:
                out.value[s] = scores[s]
            else:
                out.value[s] = 0.98 * out.share[s] + 0.02 * (1.0 / n + (scores[s] - mean) / 1000)

    cdef void value_alone(self, Outlook* out, double met, double score, double scale) noexcept nogil:
        """The same for a single seat: how likely it reaches what it aims at, and what it scores."""
        out.share[0] = met
        out.score[0] = score
        out.square[0] = score * score + scale * scale
        out.value[0] = score if self.objective == SCORE else 0.98 * met + 0.02 * score / 100

    cdef void estimate(self, const void* state, Outlook* out) noexcept nogil:
        """Below the depth limit: estimated scores, and a share of first place that falls off with the distance."""
        cdef double values[C_MAX_SEATS]
        cdef double scales[C_MAX_SEATS]
        cdef int32_t scores[C_MAX_SEATS]
        cdef double top, behind, total = 0, mean = 0
        cdef int s, n = self.game.seats
        self.exact = False
        for s in range(n):
            scores[s] = 0
        self.game.evaluate(state, values, scales)
        if n == 1:
            self.value_alone(out, not self.game.aim or self.game.met(state, scores), values[0], scales[0])
            return
        top = values[0]
        for s in range(n):
            top = values[s] if values[s] > top else top
        for s in range(n):
            mean += values[s] / n
            behind = (top - values[s]) / (scales[s] if scales[s] > 0.5 else 0.5)
            # About exp(-behind), the same on every machine.
            out.share[s] = 1 / (1 + behind * (1 + behind * (0.5 + behind / 6)))
            total += out.share[s]
        for s in range(n):
            out.share[s] /= total
            out.score[s] = values[s]
            out.square[s] = values[s] * values[s] + scales[s] * scales[s]
            if self.objective == SCORE:
                out.value[s] = values[s]
            else:
                out.value[s] = 0.98 * out.share[s] + 0.02 * (1.0 / n + (values[s] - mean) / 1000)

    cdef int solve(self, const void* state, int depth, Outlook* out) noexcept nogil:
        """0 and what the state is worth, or 1 when there is no more to spend."""
        cdef int32_t scores[C_MAX_SEATS]
        cdef int turn = self.game.turn_of(state)
        cdef uint32_t pending
        cdef int first, second
        self.length[depth] = 0
        if self.spent():
            return 1
        if turn == C_OVER:
            self.game.points(state, scores)
            self.judge(state, scores, out)
            return 0
        if depth >= self.depth_limit:
            self.estimate(state, out)
            return 0
        if turn == C_CHANCE:
            return self.solve_chance(state, depth, out)
        if self.game.separable(state):
            return self.solve_separable(state, depth, out)
        pending = self.game.pending_mask(state)
        first = turn
        pending &= pending - 1
        if pending == 0:
            return self.solve_sequential(state, first, depth, out)
        second = 0
        while not pending >> second & 1:
            second += 1
        if self.game.seats == 2:
            return self.solve_pair(state, first, second, depth, out, False)
        return self.solve_many(state, depth, out, False)

    cdef void extend(self, int depth) noexcept nogil:
        """The line at a depth goes on as that of the depth below, as far as it is kept."""
        cdef int n = min(self.length[depth + 1], LINE - self.length[depth])
        memcpy(&self.line[depth][self.length[depth]], self.line[depth + 1], n * sizeof(Step))
        self.length[depth] += n

    cdef int solve_chance(self, const void* state, int depth, Outlook* out) noexcept nogil:
        cdef uint32_t outcomes[C_MAX_OUTCOMES]
        cdef uint32_t weights[C_MAX_OUTCOMES]
        cdef Outlook part
        cdef double total = 0
        cdef int n = self.game.list_outcomes(state, outcomes, weights)
        cdef int i, likeliest = 0
        cdef void* child = self.frame(depth)
        if self.game.futile(state):
            n = 1
        for i in range(n):
            total += weights[i]
        memset(out, 0, sizeof(Outlook))
        for i in range(n):
            memcpy(child, state, self.game.state_bytes)
            self.game.settle(child, outcomes[i])
            if self.solve(child, depth + 1, &part):
                return 1
            blend(out, &part, weights[i] / total, self.game.seats)
            if i == 0 or weights[i] > weights[likeliest]:
                likeliest = i
                self.length[depth] = 0
                self.extend(depth)
                self.line[depth][0].informed = True
        return 0

    cdef int solve_sequential(self, const void* state, int seat, int depth, Outlook* out) noexcept nogil:
        """One seat decides: the move with its highest value, the first by notation where values tie."""
        cdef move_t* moves = <move_t*> malloc(self.game.max_moves * sizeof(move_t))
        cdef int n = self.game.list_moves(state, seat, moves)
        cdef Outlook part
        cdef int i, top = 0, code = 0
        cdef double lead
        cdef void* child = self.frame(depth)
        for i in range(n):
            memcpy(child, state, self.game.state_bytes)
            self.game.apply(child, seat, moves[i])
            code = self.solve(child, depth + 1, &part)
            if code:
                break
            lead = part.value[seat] - out.value[seat]
            if i == 0 or lead > TIE or (lead >= -TIE and self.game.precedes(moves[i], moves[top])):
                out[0] = part
                top = i
                self.line[depth][0].move = moves[i]
                self.line[depth][0].seat = seat
                self.line[depth][0].informed = False
                self.length[depth] = 1
                self.extend(depth)
        free(moves)
        return code

    cdef int solo(self, const void* state, int seat, int depth, int32_t* best) noexcept nogil:
        """The highest final score of a seat in a separable state; the others play anything."""
        cdef int32_t scores[C_MAX_SEATS]
        cdef int32_t score
        cdef move_t* moves
        cdef int i, n, code = 0
        cdef bint owed
        cdef void* child = self.frame(depth)
        if self.spent():
            return 1
        if self.game.turn_of(state) == C_OVER:
            self.game.points(state, scores)
            best[0] = scores[seat]
            return 0
        owed = self.game.pending_mask(state) >> seat & 1
        moves = <move_t*> malloc(self.game.max_moves * sizeof(move_t))
        n = self.game.list_moves(state, seat, moves) if owed else 1
        best[0] = -(1 << 30)
        for i in range(n):
            memcpy(child, state, self.game.state_bytes)
            self.pass_time(child, seat)
            if owed:
                self.game.apply(child, seat, moves[i])
            code = self.solo(child, seat, depth + 1, &score)
            if code:
                break
            best[0] = score if score > best[0] else best[0]
        free(moves)
        return code

    cdef void pass_time(self, void* state, int seat) noexcept nogil:
        """The others commit whatever comes first, so that the seat's own decision is the last."""
        cdef move_t moves[C_MAX_MOVES]
        cdef uint32_t owed = self.game.pending_mask(state)
        cdef int other
        for other in range(self.game.seats):
            if other != seat and owed >> other & 1:
                self.game.list_moves(state, other, moves)
                self.game.apply(state, other, moves[0])

    cdef int solve_separable(self, const void* state, int depth, Outlook* out) noexcept nogil:
        cdef int32_t scores[C_MAX_SEATS]
        cdef int s
        for s in range(self.game.seats):
            if self.solo(state, s, depth, &scores[s]):
                return 1
        self.judge(state, scores, out)
        return 0

    cdef double payoff(self, const Outlook* part, int row, int column) noexcept nogil:
        """What the row seat maximises and the column seat minimises."""
        return part.score[row] - part.score[column] if self.objective == SCORE else part.value[row]

    cdef Outlook* pair_table(
        self, const void* state, int row, int column, int depth, move_t* rows, move_t* columns, int* m, int* n,
        bint root
    ) noexcept nogil:
        """What every pair of simultaneous moves is worth, row by row; NULL when there is no more to spend."""
        cdef int i, j
        cdef void* child = self.frame(depth)
        cdef Outlook* table
        m[0] = self.root_moves(rows) if root else self.game.list_moves(state, row, rows)
        n[0] = self.game.list_moves(state, column, columns)
        table = <Outlook*> malloc(m[0] * n[0] * sizeof(Outlook))
        for i in range(m[0]):
            for j in range(n[0]):
                memcpy(child, state, self.game.state_bytes)
                self.game.apply(child, row, rows[i])
                self.game.apply(child, column, columns[j])
                if self.solve(child, depth + 1, &table[i * n[0] + j]):
                    free(table)
                    return NULL
        return table

    cdef int solve_pair(
        self, const void* state, int row, int column, int depth, Outlook* out, bint root
    ) noexcept nogil:
        """Two seats decide at once: an equilibrium of the zero-sum game. At the root the mixes are kept."""
        cdef move_t rows[C_MAX_PAIR]
        cdef move_t columns[C_MAX_PAIR]
        cdef double x[C_MAX_PAIR]
        cdef double y[C_MAX_PAIR]
        cdef double* matrix
        cdef Outlook* table
        cdef int i, j, m = 0, n = 0
        if self.game.max_moves > C_MAX_PAIR:
            return self.solve_many(state, depth, out, root)
        table = self.pair_table(state, row, column, depth, rows, columns, &m, &n, root)
        if table == NULL:
            return 1
        matrix = <double*> malloc(m * n * sizeof(double))
        for i in range(m * n):
            matrix[i] = self.payoff(&table[i], row, column)
        solve_matrix(matrix, m, n, x, y)
        free(matrix)
        memset(out, 0, sizeof(Outlook))
        for i in range(m):
            if root:
                memset(&self.outlook[i], 0, sizeof(Outlook))
            for j in range(n):
                blend(out, &table[i * n + j], x[i] * y[j], self.game.seats)
                if root:
                    blend(&self.outlook[i], &table[i * n + j], y[j], self.game.seats)
        free(table)
        if root:
            self.keep_mix(row, rows, x, m)
            self.keep_mix(column, columns, y, n)
        return 0

    cdef void keep_mix(self, int seat, const move_t* moves, const double* weights, int n) noexcept nogil:
        memcpy(self.mix_move[seat], moves, n * sizeof(move_t))
        memcpy(self.mix[seat], weights, n * sizeof(double))
        self.mix_size[seat] = n

    cdef int solve_many(self, const void* state, int depth, Outlook* out, bint root) noexcept nogil:
        """More decide at once: each answers the moves that gain the others most at once. An estimate."""
        cdef move_t likely[C_MAX_SEATS]
        cdef move_t reply[C_MAX_SEATS]
        cdef uint32_t owed = self.game.pending_mask(state)
        cdef move_t* moves = <move_t*> malloc(self.game.max_moves * sizeof(move_t))
        cdef double* gains = <double*> malloc(self.game.max_moves * sizeof(double))
        cdef void* child = self.frame(depth)
        cdef Outlook part
        cdef double best
        cdef int s, i, n, top, code = 0
        self.exact = False
        for s in range(self.game.seats):
            if owed >> s & 1:
                n = self.game.list_moves(state, s, moves)
                self.game.gains(state, s, moves, n, gains)
                top = 0
                for i in range(n):
                    top = i if gains[i] > gains[top] else top
                likely[s] = moves[top]
        for s in range(self.game.seats):
            if code or not owed >> s & 1:
                continue
            n = self.root_moves(moves) if root and s == self.seat else self.game.list_moves(state, s, moves)
            best = 0
            for i in range(n):
                memcpy(child, state, self.game.state_bytes)
                self.commit_all(child, owed, likely, s, moves[i])
                code = self.solve(child, depth + 1, &part)
                if code:
                    break
                if root and s == self.seat:
                    self.outlook[i] = part
                if i == 0 or part.value[s] > best + TIE:
                    best = part.value[s]
                    reply[s] = moves[i]
        free(moves)
        free(gains)
        if code:
            return code
        memcpy(child, state, self.game.state_bytes)
        self.commit_all(child, owed, reply, -1, 0)
        return self.solve(child, depth + 1, out)

    cdef void commit_all(
        self, void* state, uint32_t owed, const move_t* moves, int except_, move_t instead
    ) noexcept nogil:
        cdef int s
        for s in range(self.game.seats):
            if owed >> s & 1:
                self.game.apply(state, s, instead if s == except_ else moves[s])

    cdef int solve_root(self) noexcept nogil:
        """Every root move with a full window: its true value, not a bound."""
        cdef Outlook out
        cdef uint32_t owed = self.game.pending_mask(self.world)
        cdef int i, other = 0
        memset(self.mix_size, 0, sizeof(self.mix_size))
        if self.game.separable(self.world):
            return self.root_separable()
        owed &= ~(<uint32_t> 1 << self.seat)
        if owed:
            while not owed >> other & 1:
                other += 1
            if self.game.seats == 2:
                return self.solve_pair(self.world, self.seat, other, 0, &out, True)
            return self.solve_many(self.world, 0, &out, True)
        for i in range(self.n_root):
            memcpy(self.frame(0), self.world, self.game.state_bytes)
            self.game.apply(self.frame(0), self.seat, self.root[i])
            if self.solve(self.frame(0), 1, &self.outlook[i]):
                return 1
            self.root_length[i] = self.length[1]
            memcpy(self.root_line + i * LINE, self.line[1], sizeof(self.line[1]))
        return 0

    cdef int root_separable(self) noexcept nogil:
        """Every seat that decides has a dominant choice: the first move by notation that leads to its highest score."""
        cdef int32_t scores[C_MAX_SEATS]
        cdef int32_t best[C_MAX_SEATS]
        cdef int32_t own[C_MAX_MOVES]
        cdef move_t moves[C_MAX_MOVES]
        cdef double one = 1
        cdef int32_t score
        cdef int s, i, n, top
        cdef void* child = self.frame(0)
        for s in range(self.game.seats):
            if not self.game.pending_mask(self.world) >> s & 1:
                if self.solo(self.world, s, 0, &best[s]):
                    return 1
                continue
            n = self.root_moves(moves) if s == self.seat else self.game.list_moves(self.world, s, moves)
            top = 0
            for i in range(n):
                memcpy(child, self.world, self.game.state_bytes)
                self.pass_time(child, s)
                self.game.apply(child, s, moves[i])
                if self.solo(child, s, 1, &score):
                    return 1
                if i == 0 or score > best[s] or (score == best[s] and self.game.precedes(moves[i], moves[top])):
                    best[s] = score
                    top = i
                if s == self.seat:
                    own[i] = score
            self.keep_mix(s, &moves[top], &one, 1)
        for i in range(self.n_root):
            memcpy(scores, best, sizeof(scores))
            scores[self.seat] = own[i]
            self.judge(self.world, scores, &self.outlook[i])
        return 0
